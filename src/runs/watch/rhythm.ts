import { setTimeout } from 'node:timers/promises'
import { Cron } from 'croner'

/** When scans are due, on a clock of its own that counts milliseconds. */
export interface Rhythm {
  readonly now: () => number
  /** The first time after this one; undefined if absent. */
  readonly after: (time: number) => number | undefined
  /** What a calendar and a wall clock say at a time. */
  readonly dateOf: (time: number) => Date
}

/** Due repeatedly at this distance, independent of the time of day. */
export function everyInterval(intervalMs: number): Rhythm {
  const start = performance.now()
  return {
    now: () => performance.now(),
    after: (time) => start + (Math.floor((time - start) / intervalMs) + 1) * intervalMs,
    dateOf: (time) => new Date(Date.now() + time - performance.now()),
  }
}

/**
 * Due at the times of a cron expression in the time zone of this machine, five fields or six with seconds first. Throws
 * an `Error` for what is no rhythm, and for one that names no time to come.
 */
export function byCron(expression: string): Rhythm {
  const cron = new Cron(expression, { mode: '5-or-6-parts' })
  const after = (time: number): number | undefined => cron.nextRun(new Date(time))?.getTime()
  if (after(Date.now()) === undefined) throw new Error('it names no time to come')
  return { now: () => Date.now(), after, dateOf: (time) => new Date(time) }
}

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
