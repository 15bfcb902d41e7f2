import { drifted, type PartialDecision } from '../../model/partial-decision.ts'
import type { ServiceStep, UnitStarter } from './services.ts'

/** The properties of a service that starters can violate. */
interface Unwanted {
  readonly ensure: 'running' | 'stopped'
  readonly enable?: boolean | undefined
  readonly masked?: boolean | undefined
}

/** The steps that a fix takes for a unit that starts a service. */
export interface StarterSteps {
  readonly unit: string
  readonly steps: readonly ServiceStep[]
}

/** The starters of a service that must not start: one drift for each. */
export interface StarterPart extends PartialDecision {
  readonly starters: readonly StarterSteps[]
}

/** Whether the starters of the service matter to the policy. They do not if a mask prevents every start. */
export function asksForStarters({ ensure, enable, masked }: Unwanted): boolean {
  return masked !== true && (ensure === 'stopped' || enable === false)
}

/** Compares the starters of a service with a policy that wants it stopped, or not started at boot. */
export function compareStarters({ ensure, enable }: Unwanted, starters: readonly UnitStarter[]): StarterPart {
  const found = starters.map((starter) => ({
    ...starter,
    stop: ensure === 'stopped' && starter.isActive,
    disable: enable === false && starter.isEnabled,
  }))
  const wrong = found.filter(({ stop, disable }) => stop || disable)
  const drift = wrong.map(({ name, kind, stop, disable, at }) => {
    return { property: 'started_by', desired: 'nothing', observed: name, note: noteOf(kind, whenOf(stop, disable), at) }
  })
  return {
    ...drifted(...drift),
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
            ? `only a mask prevents D-Bus activation of ${name}: set masked: true`
            : `${name} also starts it and has other purposes: set masked: true, or change that unit`,
      })),
  }
}

function noteOf(kind: UnitStarter['kind'], when: string, at: string | undefined): string {
  if (kind === 'bus-name') return 'started by D-Bus activation'
  return at === undefined ? when : `${when}: ${at}`
}

function whenOf(stop: boolean, disable: boolean): string {
  if (!disable) return 'it is active'
  return stop ? 'it is active and starts at boot' : 'it starts at boot'
}
