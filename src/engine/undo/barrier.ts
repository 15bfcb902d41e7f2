import { ReplacementError } from '../../host/live/replaced-file.ts'

/** Error of a backup, if any. */
type Kept = { readonly message: string } | undefined

/**
 * Overlaps the backup of an item with the creation of its replacement: both flush the disk, and only the final rename
 * must wait for the backup.
 */
export interface Barrier {
  /** Blocks replacements until the backup has completed; rejects them if it fails. */
  readonly hold: (keeping: Promise<Kept>) => void
  /** Ends the blocking, also after a failure. */
  readonly open: () => void
  /** Waits for the backup. Throws a `ReplacementError` if it failed. */
  readonly pass: () => Promise<void>
}

/** Creates an open barrier. */
export function createBarrier(): Barrier {
  let held: Promise<Kept> | undefined
  return {
    hold(keeping) {
      held = keeping
    },
    open() {
      held = undefined
    },
    async pass() {
      const failed = await held
      if (failed !== undefined) throw new ReplacementError(failed.message)
    },
  }
}
