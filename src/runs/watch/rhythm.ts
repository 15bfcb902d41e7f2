import { setTimeout } from 'node:timers/promises'
import { Cron } from 'croner'

/** Due times of scans, on the rhythm's own clock in milliseconds. */
export interface Rhythm {
  readonly now: () => number
  /** First due time after this one; undefined if there are no more. */
  readonly after: (time: number) => number | undefined
  /** Wall-clock date of a time. */
  readonly dateOf: (time: number) => Date
}

/** Due at fixed intervals, independent of the time of day. */
export function everyInterval(intervalMs: number): Rhythm {
  const start = performance.now()
  return {
    now: () => performance.now(),
    after: (time) => start + (Math.floor((time - start) / intervalMs) + 1) * intervalMs,
    dateOf: (time) => new Date(Date.now() + time - performance.now()),
  }
}

/**
 * Due at the times of a cron expression in the local time zone, with five fields, or six with seconds first. Throws an
 * `Error` if it is invalid or has no future time.
 */
export function byCron(expression: string): Rhythm {
  const cron = new Cron(expression, { mode: '5-or-6-parts' })
  const after = (time: number): number | undefined => cron.nextRun(new Date(time))?.getTime()
  if (after(Date.now()) === undefined) throw new Error('it has no future time')
  return { now: () => Date.now(), after, dateOf: (time) => new Date(time) }
}

/** Maximum sleep between checks of the clock, in milliseconds, since clocks are adjusted and machines suspend. */
const LONGEST_NAP_MS = 60_000

/** Resolves at a time by the clock, or as soon as the signal is aborted. */
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
