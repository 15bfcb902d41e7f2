import { expect, test } from 'vitest'
import { known, unknown } from '../../../src/model/observation.ts'
import type { ServiceState } from '../../../src/subjects/services/decide.ts'
import { exportsOfService } from '../../../src/subjects/services/index.ts'

const desired = { name: 'ssh', ensure: 'running' } as const
const places = { unit: 'ssh.service', unitFiles: [] }

function seen(state: ServiceState): Parameters<typeof exportsOfService>[1] {
  return { kind: 'present', state, context: places }
}

test.each([
  { active: 'active', running: true, state: 'enabled', enabled: true },
  { active: 'reloading', running: true, state: 'static', enabled: true },
  { active: 'failed', running: false, state: 'masked', enabled: false },
  { active: 'activating', running: false, state: 'disabled', enabled: false },
] as const)('a unit that is $active and $state', ({ active, running, state, enabled }) => {
  const runtime = known({ activeState: active, loadState: 'loaded', result: '' })
  const status = { unit: 'sshd.service', runtime, enablement: known({ state, isInstallable: true }) }
  expect(exportsOfService(desired, seen(status))).toEqual({
    unit: 'sshd.service',
    exists: true,
    running,
    active,
    enabled,
    enablement: state,
  })
})

test('a unit that does not exist neither runs nor starts', () => {
  expect(exportsOfService(desired, { kind: 'absent', context: places })).toEqual({
    unit: 'ssh.service',
    exists: false,
    running: false,
    enabled: false,
  })
})

test('unknown values are left out', () => {
  const reading = unknown('not-observable', 'systemd does not run here')
  const status = { unit: 'ssh.service', runtime: reading, enablement: reading }
  expect(exportsOfService(desired, seen(status))).toEqual({ unit: 'ssh.service', exists: true })
})
