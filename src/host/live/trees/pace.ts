import { setImmediate } from 'node:timers/promises'

/** How long the machine may be asked before everything else gets its turn, in milliseconds. */
const LONGEST_STRETCH_MS = 50

/** How many questions are asked before the clock is looked at. */
const QUESTIONS_AT_ONCE = 64

/** Lets long work of many small steps stop for others, and end when it has to. */
export interface Pace {
  /** Counts a step. True where `rest` has to be waited for before the next one. */
  readonly isDue: () => boolean
  readonly rest: () => Promise<void>
  /** Whether the work has to end. */
  readonly isOver: () => boolean
}

/** Starts the clock. */
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
