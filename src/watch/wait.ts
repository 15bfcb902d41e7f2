import { setTimeout } from 'node:timers/promises'

/** Clocks are set, and machines sleep: a long wait looks at the clock again at least this often, in milliseconds. */
const LONGEST_NAP_MS = 60_000

/** Resolves when a clock shows a time, or as soon as the signal is aborted. */
export async function waitUntil(time: number, now: () => number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const remaining = time - now()
    if (remaining <= 0) return
    try {
      await setTimeout(Math.min(remaining, LONGEST_NAP_MS), undefined, { signal })
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
}
