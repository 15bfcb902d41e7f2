import { known, unknown } from '../../model/observation.ts'
import { remountOptions } from '../../host/mount-options.ts'
import type { UndoHandler } from '../../host/undo-handler.ts'
import { MOUNTS } from './subject.ts'

/** The options of a mount and of its file system. */
interface MountState {
  readonly own: readonly string[]
  readonly options: readonly string[]
}

/** Restores mount options; fstab and drop-ins are restored as files. */
export const mount: UndoHandler<MountState> = {
  async look(target, name) {
    target.forget()
    const now = target.open(MOUNTS).now(name)
    if (now.kind === 'unknown') return now
    if (now.value.kind !== 'mounted') return unknown('not-observable', `nothing is mounted at ${name}`)
    const { own, options } = now.value
    return known({ own, options })
  },
  describe: ({ options }) => options.join(','),
  async putBack(name, { before, now }, { remediator, signal }) {
    const { scope, words, stuck } = remountOptions(now, before.options)
    if (stuck.length > 0) return { kind: 'failed', message: `no option of mount(8) removes ${stuck.join(', ')}` }
    return words.length === 0 ? { kind: 'done' } : remediator.open(MOUNTS).remount({ path: name, scope, words }, signal)
  },
}
