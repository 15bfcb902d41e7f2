import { setImmediate } from 'node:timers/promises'

/** Time slice before yielding to the event loop, in milliseconds. */
const LONGEST_STRETCH_MS = 50

/** Number of steps between checks of the clock. */
const QUESTIONS_AT_ONCE = 64

/** Lets long work yield to the event loop, and ends it at its deadline. */
export interface Pace {
  /** Counts a step. If true, await `rest` before the next one. */
  readonly isDue: () => boolean
  readonly rest: () => Promise<void>
  /** Whether the work must end. */
  readonly isOver: () => boolean
}

export function createPace(signal: AbortSignal, timeoutMs: number): Pace {
  const end = performance.now() + timeoutMs
  let stretchStart = performance.now()
  let steps = 0
  let isLate = timeoutMs <= 0
  return {
    isDue: () => ++steps % QUESTIONS_AT_ONCE === 0 && performance.now() - stretchStart > LONGEST_STRETCH_MS,
    async rest() {
      await setImmediate()
      stretchStart = performance.now()
      isLate = stretchStart > end
    },
    isOver: () => isLate || signal.aborted,
  }
}
