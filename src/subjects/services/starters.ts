import type { Obstacle } from '../../model/decision.ts'
import type { Drift } from '../../model/drift.ts'
import type { ServiceStep, UnitStarter } from './services.ts'

/** What a policy says of how a service must not come to run. */
interface Unwanted {
  readonly ensure: 'running' | 'stopped'
  readonly enable?: boolean | undefined
  readonly masked?: boolean | undefined
}

/** What a fix does about one of the units that start a service. */
export interface StarterSteps {
  readonly unit: string
  readonly steps: readonly ServiceStep[]
}

/** What starts a service that must not be started: each is a difference of its own. */
export interface StarterFinding {
  readonly drift: readonly Drift[]
  readonly starters: readonly StarterSteps[]
  readonly obstacles: readonly Obstacle[]
}

/** Whether it matters to a policy what else starts the service: not where a mask keeps everything from it. */
export function asksForStarters({ ensure, enable, masked }: Unwanted): boolean {
  return masked !== true && (ensure === 'stopped' || enable === false)
}

/** Compares what starts a service with a policy that wants it stopped, or not to start with the system. */
export function compareStarters({ ensure, enable }: Unwanted, starters: readonly UnitStarter[]): StarterFinding {
  const found = starters.map((starter) => ({
    ...starter,
    stop: ensure === 'stopped' && starter.isActive,
    disable: enable === false && starter.isEnabled,
  }))
  const wrong = found.filter(({ stop, disable }) => stop || disable)
  return {
    drift: wrong.map(({ name, kind, stop, disable, at }) => ({
      property: 'started_by',
      desired: 'nothing',
      observed: name,
      note: noteOf(kind, whenOf(stop, disable), at),
    })),
    starters: wrong
      .filter(({ kind }) => kind === 'unit')
      .map(({ name, stop, disable }) => ({
        unit: name,
        steps: [...(stop ? ['stop' as const] : []), ...(disable ? ['disable' as const] : [])],
      })),
    obstacles: wrong
      .filter(({ kind }) => kind !== 'unit')
      .map(({ name, kind }) => ({
        reason:
          kind === 'bus-name'
            ? `only a mask keeps the message bus from starting ${name}: say masked: true`
            : `${name} starts it, too, and is there for more: say masked: true, or change that unit`,
      })),
  }
}

function noteOf(kind: UnitStarter['kind'], when: string, at: string | undefined): string {
  if (kind === 'bus-name') return 'the message bus starts it when it is asked for'
  return at === undefined ? when : `${when}: ${at}`
}

function whenOf(stop: boolean, disable: boolean): string {
  if (!disable) return 'it is active'
  return stop ? 'it is active, and starts with the system' : 'it starts with the system'
}
