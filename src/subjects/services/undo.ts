import { canonicalJson } from '../../model/canonical-json.ts'
import { known } from '../../model/observation.ts'
import type { ServiceStep } from './services.ts'
import type { UndoHandler } from '../../host/undo-handler.ts'
import { SERVICES } from './subject.ts'

/** A unit as far as a fix changes it; null for one that does not exist. */
type UnitState = { readonly runs: boolean; readonly enablement: string } | null

/** Whether units run, and start with the system. */
export const service: UndoHandler<UnitState> = {
  async look(target, name, signal) {
    target.forget()
    const seen = await target.open(SERVICES).status(name, signal)
    if (seen.kind === 'unknown') return seen
    if (seen.kind === 'absent') return known(null)
    const { runtime, enablement } = seen.state
    if (enablement.kind === 'unknown') return enablement
    // Where no service manager runs, nothing does.
    const runs = runtime.kind === 'known' && ['active', 'reloading', 'activating'].includes(runtime.value.activeState)
    return known({ runs, enablement: enablement.value.state })
  },
  describe: (state) => (state === null ? 'absent' : `${state.runs ? 'running' : 'stopped'}, ${state.enablement}`),
  // What was undone before may have stopped or disabled it along: each half is as it was before the fix or after it.
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
    // Its unit file is put back by what put it there; what the unit was is put back then.
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
