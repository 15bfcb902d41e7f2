import { expect, test } from 'vitest'
import { FIRST_LOOK } from '../../../src/model/decision.ts'
import { known, present } from '../../../src/model/observation.ts'
import { service } from '../../../src/subjects/services/index.ts'
import type { ServiceManager, ServiceStatus, ServiceStep } from '../../../src/subjects/services/services.ts'
import type { Target } from '../../../src/host/target.ts'
import { EMPTY_MACHINE, NO_HANDS } from '../../support/target.ts'
import { opening, reading, writing } from '../../support/opening.ts'
import { SERVICES } from '../../../src/subjects/services/subject.ts'

const { signal } = new AbortController()
const CONTEXT = { workingDirectory: '/', signal, showDiff: true }

/** A machine with one unit, that notes what it is asked. */
function machineWith(status: ServiceStatus): { readonly target: Target; readonly asked: string[] } {
  const asked: string[] = []
  const services: ServiceManager = {
    announce: (units) => void asked.push(...units.map((unit) => `announced ${unit}`)),
    starters: async () => known([]),
    companions: async () => known([]),
    status: async (unit) => {
      asked.push(unit)
      return present(status, { unit, unitFiles: [] })
    },
  }
  return { target: { ...EMPTY_MACHINE, open: opening(EMPTY_MACHINE, reading(SERVICES, services)) }, asked }
}

const STOPPED: ServiceStatus = {
  unit: 'ssh.service',
  runtime: known({ activeState: 'inactive', loadState: 'loaded', result: 'success' }),
  enablement: known({ state: 'disabled', isInstallable: true }),
}

test('names that can be units are announced as units; templates of the policy wait until they are expanded', () => {
  const { target, asked } = machineWith(STOPPED)
  service.announce?.(target, ['ssh', 'getty@tty1', '{{ Data.name }}', 'getty@'])
  expect(asked).toEqual(['announced ssh.service', 'announced getty@tty1.service'])
})

test('a fix changes the unit behind an alias', async () => {
  const { target, asked } = machineWith(STOPPED)
  const prepared = service.prepare({ name: 'sshd', ensure: 'running', enable: true }, 'systemd', CONTEXT)
  const examination = await prepared.examine(target, FIRST_LOOK)
  expect(asked).toEqual(['sshd.service'])
  const changed: [string, readonly ServiceStep[]][] = []
  const remediator = {
    ...NO_HANDS,
    open: opening(
      NO_HANDS,
      writing(SERVICES, {
        change: async (unit: string, steps: readonly ServiceStep[]) => {
          changed.push([unit, steps])
          return { kind: 'done' } as const
        },
      }),
    ),
  }
  const applied = examination.kind === 'decided' ? await examination.apply(remediator) : undefined
  expect(applied).toEqual({ kind: 'done' })
  expect(changed).toEqual([['ssh.service', ['start', 'enable']]])
})
