import { test } from 'vitest'
import { known } from '../../../src/model/observation.ts'
import { firewall } from '../../../src/subjects/firewall/index.ts'
import { parseIptablesSave } from '../../../src/subjects/firewall/rules/iptables-save.ts'
import { createLocalTarget } from '../../../src/host/live/local-target.ts'
import { EMPTY_MACHINE } from '../../support/target.ts'
import { type ContractScene, contractTests } from '../../../src/testing/index.ts'
import { INTERFACES } from '../../../src/subjects/network/subject.ts'
import { SERVICES } from '../../../src/subjects/services/subject.ts'
import { opening, reading } from '../../support/opening.ts'
import { FIREWALL } from '../../../src/subjects/firewall/subject.ts'

function scene(told: Pick<ContractScene, 'title' | 'state'>, policy: string): ContractScene {
  return {
    ...told,
    arrange: () => ({ name: 'input', default: 'drop', family: 'ip', stored: false }),
    target() {
      const chains = parseIptablesSave(`*filter\n:INPUT ${policy}\nCOMMIT\n`, 'ip') ?? []
      const rules = async () => known({ tables: [], chains })
      // Nothing keeps the rules, so that no fix may touch those of this machine.
      return {
        ...createLocalTarget(),
        open: opening(
          createLocalTarget(),
          reading(SERVICES, EMPTY_MACHINE.open(SERVICES)),
          reading(INTERFACES, EMPTY_MACHINE.open(INTERFACES)),
          reading(FIREWALL, { rules, stored: rules, session: () => undefined }),
        ),
      }
    },
  }
}

const scenes: readonly ContractScene[] = [
  scene({ title: 'closed', state: 'compliant' }, 'DROP'),
  scene({ title: 'open', state: 'unfixable' }, 'ACCEPT'),
]

for (const { name, run } of contractTests(firewall, { scenes })) test(name, run)
