import { decideInterface, type ObservedInterface } from '../../../src/subjects/network/decide.ts'
import { interfaceOf } from '../../support/running.ts'
import { testDecisionCases } from '../decision-cases.ts'

/** What a case does not say of an interface is that of one of Ethernet that is up. */
testDecisionCases('network', {
  wanted: ['name', 'ensure', 'up', 'addresses', 'mtu', 'wireless', 'driver_available', 'if_absent'],
  observed: ['interfaces'],
  decide(wanted, observed) {
    const { interfaces } = observed as { readonly interfaces?: readonly Partial<ObservedInterface>[] }
    return decideInterface(
      { name: 'eth0', ensure: 'present', if_absent: 'drift', ...wanted },
      interfaces === undefined
        ? { kind: 'absent', context: undefined }
        : { kind: 'present', state: interfaces.map((each) => ({ ...interfaceOf(), ...each })), context: undefined },
    )
  },
})
