import { known } from '../../model/observation.ts'
import type { UndoHandler } from '../../host/undo-handler.ts'
import { SERVICES } from './subject.ts'

/** Restores whether a unit runs; null for a missing unit. Its links restore the enablement. */
export const running: UndoHandler<{ readonly runs: boolean } | null> = {
  async look(target, name, signal) {
    target.forget()
    const seen = await target.open(SERVICES).status(name, signal)
    if (seen.kind === 'unknown') return seen
    if (seen.kind === 'absent') return known(null)
    const { runtime } = seen.state
    // Without a service manager no unit runs.
    return known({
      runs: runtime.kind === 'known' && ['active', 'reloading', 'activating'].includes(runtime.value.activeState),
    })
  },
  describe: (state) => (state === null ? 'absent' : state.runs ? 'running' : 'stopped'),
  async putBack(name, { before, now }, { remediator, signal }) {
    // The undo of the file restores the unit, and with it the running state.
    if (before === null || now === null) return { kind: 'done' }
    return remediator.open(SERVICES).change(name, [before.runs ? 'start' : 'stop'], signal)
  },
}
