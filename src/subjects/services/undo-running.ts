import { known } from '../../model/observation.ts'
import type { UndoHandler } from '../../host/undo-handler.ts'
import { SERVICES } from './subject.ts'

/** Whether a unit runs; null for one that does not exist. How it starts with the system is a matter of its links. */
export const running: UndoHandler<{ readonly runs: boolean } | null> = {
  async look(target, name, signal) {
    target.forget()
    const seen = await target.open(SERVICES).status(name, signal)
    if (seen.kind === 'unknown') return seen
    if (seen.kind === 'absent') return known(null)
    const { runtime } = seen.state
    // Where no service manager runs, nothing does.
    return known({
      runs: runtime.kind === 'known' && ['active', 'reloading', 'activating'].includes(runtime.value.activeState),
    })
  },
  describe: (state) => (state === null ? 'absent' : state.runs ? 'running' : 'stopped'),
  async putBack(name, { before, now }, { remediator, signal }) {
    // Its unit file is restored with what put it there; what the unit was is restored then.
    if (before === null || now === null) return { kind: 'done' }
    return remediator.open(SERVICES).change(name, [before.runs ? 'start' : 'stop'], signal)
  },
}
