/**
 * Report freshness of a host, most severe first:
 *
 * - `forged`: a run in its location is from another host or sender;
 * - `never`: expected by the roster, never reported;
 * - `silent`: no report for two intervals;
 * - `outdated`: reports, but on an older policy than others for two intervals, or no longer on all of its policies;
 * - `clock`: its clock and that of the storage differ by more than five minutes, so its times mean nothing;
 * - `late`: no report for an interval and 15 minutes;
 * - `reporting`;
 * - `retired`: no longer expected by the roster.
 */
export const PRESENCES = ['forged', 'never', 'silent', 'outdated', 'clock', 'late', 'reporting', 'retired'] as const

export type Presence = (typeof PRESENCES)[number]

/** Inputs of the freshness. Times and durations are in milliseconds. */
export interface Signs {
  readonly nowMs: number
  readonly intervalMs: number
  readonly isRetired: boolean
  readonly isForged: boolean
  /** Newest run; absent without a run. */
  readonly newest?: { readonly startedAtMs: number; readonly storedAtMs: number; readonly clockOffMs?: number }
  /**
   * Times since which each outdated policy is behind: other hosts have a newer text, or the host no longer evaluates
   * it.
   */
  readonly behindSinceMs: readonly number[]
}

const GRACE_MS = 15 * 60_000
const CLOCK_MS = 5 * 60_000

export function presenceOf(signs: Signs): Presence {
  const { nowMs, intervalMs, newest } = signs
  if (signs.isRetired) return 'retired'
  if (signs.isForged) return 'forged'
  if (newest === undefined) return 'never'
  const quietMs = nowMs - heardAt(newest)
  if (quietMs > 2 * intervalMs) return 'silent'
  if (signs.behindSinceMs.some((sinceMs) => nowMs - sinceMs > 2 * intervalMs)) return 'outdated'
  const aheadMs = newest.startedAtMs - Math.min(newest.storedAtMs, nowMs)
  if (Math.max(aheadMs, Math.abs(newest.clockOffMs ?? 0)) > CLOCK_MS) return 'clock'
  return quietMs > intervalMs + GRACE_MS ? 'late' : 'reporting'
}

/**
 * Time of the last reliable message. A re-created copy is stored later than its run, and a clock that is ahead starts a
 * run after its storage, so the earlier time counts: neither makes a silent host reporting.
 */
export function heardAt({
  startedAtMs,
  storedAtMs,
}: {
  readonly startedAtMs: number
  readonly storedAtMs: number
}): number {
  return Math.min(startedAtMs, storedAtMs)
}

/** True if the state of a host is unknown, regardless of its last report. */
export function isUnheard(presence: Presence): boolean {
  return presence === 'silent' || presence === 'never' || presence === 'outdated' || presence === 'forged'
}
