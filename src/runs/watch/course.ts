import type { ChildScan } from './child-scan.ts'
import { type Rhythm, waitUntil } from './rhythm.ts'
import type { WatchLog } from './watch-log.ts'

/** Sequence of scans. */
export interface Course {
  readonly rhythm: Rhythm
  /** Maximum random delay of a scan, except the first, in milliseconds. */
  readonly jitterMs: number
  readonly start: () => ChildScan
  readonly journal: WatchLog
  readonly signal: AbortSignal
}

/** A scan that has ended or was abandoned. */
export interface Performed {
  readonly scan: ChildScan
  /** True if it was performed, even partially. */
  readonly isPerformed: boolean
  /** Next due time by the clock of the rhythm; undefined without a further one. */
  readonly next: Next | undefined
}

/** Due time of a scan, and its start, which may be later. */
interface Next {
  readonly due: number
  readonly startAt: number
}

/** Performs the scan due at this time and reports it. */
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
 * Scans now and then at each due time, until the signal is aborted or no due time is left. Returns whether the first
 * scan was performed; if not, the watch ends.
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
    due = await waitUntilGone(scan, next.due, course)
    if (signal.aborted) return true
  }
}

/** First due time, from this one on, at which a scan that survived SIGKILL is gone. */
export async function waitUntilGone(
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
