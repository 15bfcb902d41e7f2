import { setTimeout } from 'node:timers/promises'

/** Wall-clock and monotonic time. */
export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Monotonic milliseconds since a fixed moment. */
  readonly elapsed: () => number
  /** Resolves after a time, or as soon as the signal is aborted. */
  readonly pause: (milliseconds: number, signal?: AbortSignal) => Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  pause: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }).catch(() => undefined),
}
