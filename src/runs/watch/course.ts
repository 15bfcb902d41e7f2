import type { ChildScan } from './child-scan.ts'
import { type Rhythm, waitUntil } from './rhythm.ts'
import type { WatchLog } from './watch-log.ts'

/** How scans follow each other. */
export interface Course {
  readonly rhythm: Rhythm
  /** The longest that a scan but the first waits beyond the time when it is due, in milliseconds. */
  readonly jitterMs: number
  readonly start: () => ChildScan
  readonly journal: WatchLog
  readonly signal: AbortSignal
}

/** A scan that has ended or was given up. */
export interface Performed {
  readonly scan: ChildScan
  /** Whether it could be performed, however far it came. */
  readonly isPerformed: boolean
  /** When the next one is due, on the clock of the rhythm; undefined if absent. */
  readonly next: Next | undefined
}

/** A time to scan at: when it is due, and when it starts, which may be later. */
interface Next {
  readonly due: number
  readonly startAt: number
}

/** Performs the scan that was due at this time, and tells the journal. */
export async function perform(course: Course, due: number): Promise<Performed> {
  const { rhythm, jitterMs, journal, signal } = course
  const scan = course.start()
  const outcome = await scan.outcome
  const nextDue = rhythm.after(rhythm.now())
  const missed = rhythm.after(due)
  const isLate = missed !== undefined && missed < rhythm.now()
  const next = nextDue === undefined ? undefined : { due: nextDue, startAt: nextDue + Math.random() * jitterMs }
  const nextAt = next === undefined || signal.aborted ? undefined : rhythm.dateOf(next.startAt)
  const isPerformed = await journal.scanned(outcome, { isLate, nextAt })
  return { scan, isPerformed, next }
}

/**
 * Scans at the start and then whenever it is due, until the signal is aborted or no time is left. Gives whether the first
 * scan could be performed; if it could not, it was the only one.
 */
export async function scanForever(course: Course): Promise<boolean> {
  const { rhythm, signal } = course
  let due = rhythm.now()
  for (let isFirst = true; ; isFirst = false) {
    const { scan, isPerformed, next } = await perform(course, due)
    if (signal.aborted) return true
    if (isFirst && !isPerformed) return false
    if (next === undefined) return true
    await waitUntil(next.startAt, rhythm.now, signal)
    due = await outlast(scan, next.due, course)
    if (signal.aborted) return true
  }
}

/** The first due time, from this one on, at which a scan that could not even be killed does not hang any more. */
export async function outlast(
  scan: ChildScan,
  due: number,
  { rhythm, journal, signal }: Pick<Course, 'rhythm' | 'journal' | 'signal'>,
): Promise<number> {
  let time = due
  while (!scan.isGone() && !signal.aborted) {
    await journal.skipped()
    time = rhythm.after(rhythm.now()) ?? time
    await waitUntil(time, rhythm.now, signal)
  }
  return time
}
