import type { Clock } from '../../src/cli/clock.ts'

/** A clock on which pauses take no time, and are over when they would have been. */
export function quickClock(startMs: number = Date.parse('2026-11-25T12:00:00Z')): Clock {
  let passedMs = 0
  return {
    now: () => startMs + passedMs,
    elapsed: () => passedMs,
    pause(milliseconds, signal) {
      if (signal?.aborted !== true) passedMs += milliseconds
      return Promise.resolve()
    },
  }
}
