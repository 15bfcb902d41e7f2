import { setTimeout } from 'node:timers/promises'

/** The time of day, and monotonic time. */
export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Milliseconds since some moment that stays the same. */
  readonly elapsed: () => number
  /** Resolves after so many milliseconds, or as soon as the signal is aborted. */
  readonly pause: (milliseconds: number, signal?: AbortSignal) => Promise<void>
}

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  pause: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }).catch(() => undefined),
}
