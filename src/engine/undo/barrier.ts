import { ReplacementError } from '../../host/live/replaced-file.ts'

/** Why something could not be kept, if so. */
type Kept = { readonly message: string } | undefined

/**
 * Lets what is replaced be kept while its replacement is made: both take a flush of the disk, and only the last step of the
 * one, taking the place, has to wait for the other.
 */
export interface Barrier {
  /** From now on nothing takes a place before this has settled, nor at all if it failed. */
  readonly hold: (keeping: Promise<Kept>) => void
  /** What was held back is over, also if it failed. */
  readonly open: () => void
  /** Waits for it. Throws a `ReplacementError` where it failed. */
  readonly pass: () => Promise<void>
}

/** A barrier that is open until something is kept. */
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
