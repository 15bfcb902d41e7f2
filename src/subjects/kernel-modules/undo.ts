import { known } from '../../model/observation.ts'
import type { UndoHandler } from '../../host/undo-handler.ts'
import { KERNEL_MODULES } from './subject.ts'

/** Restores whether a module is loaded; its modprobe.d file is restored as a file. */
export const module: UndoHandler<string> = {
  async look(target, name) {
    const status = target.open(KERNEL_MODULES).status(name)
    if (status.kind === 'unknown') return status
    const { presence } = status.value
    return presence.kind === 'unknown' ? presence : known(presence.value.kind)
  },
  describe: (state) => state,
  async putBack(name, { before, now }, { remediator, signal }) {
    if (before === now || before === 'built-in') return { kind: 'done' }
    return remediator.open(KERNEL_MODULES).change(name, [before === 'loaded' ? 'load' : 'unload'], signal)
  },
}
