/**
 * Whether a host reports, the gravest first:
 *
 * - `forged`: a run lies where another host stores its own, or was not made by the host;
 * - `never`: the roster expects it, and nothing was ever heard of it;
 * - `silent`: nothing for two intervals;
 * - `outdated`: it reports, but about an older policy than others have had for two intervals, or not about all of its
 *   policies any more;
 * - `clock`: its clock and that of the storage are more than five minutes apart, so its times mean nothing;
 * - `late`: nothing for an interval and a quarter of an hour;
 * - `reporting`;
 * - `retired`: the roster says that it is expected no longer.
 */
export const PRESENCES = ['forged', 'never', 'silent', 'outdated', 'clock', 'late', 'reporting', 'retired'] as const

/** One of `PRESENCES`. */
export type Presence = (typeof PRESENCES)[number]

/** What is known of when a host reports. Times and spans are in milliseconds. */
export interface Signs {
  readonly nowMs: number
  readonly intervalMs: number
  readonly isRetired: boolean
  readonly isForged: boolean
  /** The newest run; absent if missing. */
  readonly newest?: { readonly startedAtMs: number; readonly storedAtMs: number; readonly clockOffMs?: number }
  /** Since when each of its policies is behind: another text is in force elsewhere, or it is evaluated no longer. */
  readonly behindSinceMs: readonly number[]
}

const GRACE_MS = 15 * 60_000
const CLOCK_MS = 5 * 60_000

/** What a host's silence, or its reports, amount to. */
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
 * When a host was last heard of for certain. A copy that is made anew is stored later than its run, and a clock that is
 * ahead starts it after it was stored, so the earlier time counts: neither makes a silent host speak.
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

/** Whether the state of a host is unknown, independent of its last report. */
export function isUnheard(presence: Presence): boolean {
  return presence === 'silent' || presence === 'never' || presence === 'outdated' || presence === 'forged'
}
