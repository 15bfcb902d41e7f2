import { canonicalJson } from '../../model/canonical-json.ts'
import { known } from '../../model/observation.ts'
import type { ServiceStep } from './services.ts'
import type { UndoHandler } from '../../host/undo-handler.ts'
import { SERVICES } from './subject.ts'

/** The part of a unit that a fix changes; null for a missing unit. */
type UnitState = { readonly runs: boolean; readonly enablement: string } | null

/** Restores whether a unit runs and starts at boot. */
export const service: UndoHandler<UnitState> = {
  async look(target, name, signal) {
    target.forget()
    const seen = await target.open(SERVICES).status(name, signal)
    if (seen.kind === 'unknown') return seen
    if (seen.kind === 'absent') return known(null)
    const { runtime, enablement } = seen.state
    if (enablement.kind === 'unknown') return enablement
    // Without a service manager no unit runs.
    const runs = runtime.kind === 'known' && ['active', 'reloading', 'activating'].includes(runtime.value.activeState)
    return known({ runs, enablement: enablement.value.state })
  },
  describe: (state) => (state === null ? 'absent' : `${state.runs ? 'running' : 'stopped'}, ${state.enablement}`),
  // An earlier undo may have stopped or disabled the unit: each half must have its value from before or after the fix.
  conflict({ before, after, now }) {
    if (after === undefined) return undefined
    const isOwn =
      before === null || after === null || now === null
        ? canonicalJson(now) === canonicalJson(after)
        : [before.enablement, after.enablement].includes(now.enablement)
    if (isOwn) return undefined
    return `changed since the fix: it was ${service.describe(after)} then and is ${service.describe(now)} now`
  },
  async putBack(name, { before, now }, { remediator, signal }) {
    // The undo of the file restores the unit, and with it the running state and enablement.
    if (before === null || now === null) return { kind: 'done' }
    const steps = [...enablementSteps(before.enablement, now.enablement), ...runtimeSteps(before.runs, now.runs)]
    return steps.length === 0 ? { kind: 'done' } : remediator.open(SERVICES).change(name, steps, signal)
  },
}

function enablementSteps(before: string, now: string): readonly ServiceStep[] {
  if (before === now) return []
  const unmask: readonly ServiceStep[] = now === 'masked' ? ['unmask'] : []
  if (before === 'masked') return ['mask']
  if (before === 'enabled') return [...unmask, 'enable']
  return before === 'disabled' && now !== 'masked' ? ['disable'] : unmask
}

function runtimeSteps(before: boolean, now: boolean): readonly ServiceStep[] {
  if (before === now) return []
  return before ? ['start'] : ['stop']
}
