import { expect, test } from 'vitest'
import { known } from '../../../src/model/observation.ts'
import { interfaceType } from '../../../src/subjects/network/index.ts'
import { createLocalTarget } from '../../../src/host/live/local-target.ts'
import type { ModuleStatus } from '../../../src/subjects/kernel-modules/kernel-modules.ts'
import { auditResource, type ContractScene, contractTests } from '../../../src/testing/index.ts'
import { interfaceOf } from '../../support/running.ts'
import { EMPTY_MACHINE } from '../../support/target.ts'
import { KERNEL_MODULES } from '../../../src/subjects/kernel-modules/subject.ts'
import { opening, reading } from '../../support/opening.ts'
import { INTERFACES } from '../../../src/subjects/network/subject.ts'

const STATUS: ModuleStatus = {
  presence: known({ kind: 'not-loaded' }),
  place: known('loadable'),
  configuration: known({ install: [], blacklist: [], aliases: [], masked: [], own: { path: '', state: 'none' } }),
  isLocked: known(false),
  isRefused: known(false),
}
const BLOCKED: ModuleStatus = {
  ...STATUS,
  configuration: known({
    install: [{ file: '/etc/modprobe.d/a.conf', line: 1, command: '/bin/false' }],
    blacklist: [],
    aliases: [],
    masked: [],
    own: { path: '', state: 'none' },
  }),
}

const SEEN = [
  interfaceOf(),
  interfaceOf({ name: 'wlan0', kind: 'wireless', isUp: false, driver: 'blocked' }),
  interfaceOf({ name: 'wlan1', kind: 'wireless', driver: 'iwlwifi' }),
  interfaceOf({ name: 'wlan2', kind: 'wireless', isUp: false }),
]

function scene(state: ContractScene['state'], properties: Readonly<Record<string, unknown>>): ContractScene {
  return {
    title: JSON.stringify(properties),
    state,
    arrange: () => properties,
    target: () => ({
      ...createLocalTarget(),
      open: opening(
        createLocalTarget(),
        reading(INTERFACES, { list: async () => known(SEEN) }),
        reading(KERNEL_MODULES, {
          ...EMPTY_MACHINE.open(KERNEL_MODULES),
          status: (name) => known(name === 'blocked' ? BLOCKED : STATUS),
        }),
      ),
    }),
  }
}

const scenes: readonly ContractScene[] = [
  scene('compliant', { name: 'eth0', up: true, mtu: 1500, wireless: false, addresses: { includes: ['10.0.0.5/24'] } }),
  scene('compliant', { name: 'wlan0', up: false, driver_available: false }),
  scene('compliant', { name: 'eth9', ensure: 'absent' }),
  scene('compliant', { name: '*', where_kind: 'bridge', ensure: 'absent' }),
  scene('unfixable', { name: '*', where_kind: 'wireless', up: false }),
  scene('unfixable', { name: 'wlan1', driver_available: false }),
  // A driver that has no module is part of the kernel.
  scene('unfixable', { name: 'wlan2', driver_available: false }),
  scene('unfixable', { name: 'eth0', ensure: 'absent' }),
]

for (const { name, run } of contractTests(interfaceType, { scenes })) test(name, run)

test.each([
  [{ name: '*' }, /the name \* needs a requirement/],
  [{ name: 'eth0', ensure: 'absent', up: true }, /cannot be combined with "up"/],
  [{ name: 'eth0', addresses: { includes: ['10.0.0.5'] } }, /"10.0.0.5", which is not an address with prefix length/],
  [{ name: 'eth0', addresses: ['10.0.0.500/24'] }, /"10.0.0.500\/24", which is not an address/],
])('%j is refused', async (properties, message) => {
  const { verdict, message: said } = await auditResource(interfaceType, properties, {})
  expect({ verdict, said }).toEqual({ verdict: 'error', said: expect.stringMatching(message) })
})
