import { countOf } from '../../model/count-of.ts'
import { spanWords } from '../../model/span-words.ts'
import { isOver, type Limit, type Limits, limitWords, type Measure, type Share, shareWords } from './conditions.ts'

/** State of a host of a ring. Times and durations are in milliseconds. */
export interface HostSigns {
  readonly name: string
  readonly intervalMs: number
  /** Time of the last reliable message; absent if it never reported. */
  readonly heardAtMs?: number
  /** True if its state is unknown: silent, never reported, or forged. */
  readonly isUnheard: boolean
  /** Findings under the new policies; absent if its newest report is about others. */
  readonly after?: {
    /** Time of its first report with them. */
    readonly sinceMs: number
    /** Requirements that became unknown, or that the newest run failed. */
    readonly errors: readonly string[]
    /** Requirements that drifted since. */
    readonly drifts: readonly string[]
  }
}

export interface JudgedRing {
  readonly name: string
  /** Absent if not released. */
  readonly releasedAtMs?: number
  readonly hosts: readonly HostSigns[]
}

export interface Rules {
  readonly soakMs: number
  readonly limits: Limits
}

/** Counts of a ring's hosts, as lists of host names. */
export interface RingCount extends Readonly<Record<Measure, readonly string[]>> {
  /** Hosts whose report counts: all except those that were silent before the release and still are. */
  readonly expected: readonly string[]
  /** Hosts that reported with the new policies. */
  readonly reported: readonly string[]
  /** Hosts whose report may still arrive. */
  readonly awaited: readonly string[]
}

export type Verdict =
  | { readonly kind: 'wait'; readonly ring: string; readonly reason: string }
  | { readonly kind: 'release'; readonly ring: string }
  | {
      readonly kind: 'stop'
      readonly ring: string
      readonly limit: Limit
      readonly hosts: readonly string[]
      readonly reason: string
    }
  | { readonly kind: 'done' }

/**
 * Decides the next step. A released ring with too many hosts in trouble stops the rollout, also an earlier ring. The
 * next ring is released when every host of the last one that can report has done so and the soak time is over.
 */
export function judge(rings: readonly JudgedRing[], rules: Rules, nowMs: number): Verdict {
  const released = rings.filter(({ releasedAtMs }) => releasedAtMs !== undefined)
  for (const ring of released) {
    const stop = stopOf(ring, rules.limits, nowMs)
    if (stop !== undefined) return stop
  }
  const last = released.at(-1)
  const next = rings.find(({ releasedAtMs }) => releasedAtMs === undefined)
  const reason = last === undefined ? undefined : whyWait(last, rules.soakMs, nowMs)
  if (last !== undefined && reason !== undefined) return { kind: 'wait', ring: last.name, reason }
  return next === undefined ? { kind: 'done' } : { kind: 'release', ring: next.name }
}

export function countRing({ releasedAtMs = Infinity, hosts }: JudgedRing, nowMs: number): RingCount {
  const times = { releasedAtMs, nowMs }
  const expected = hosts.filter((host) => !wasSilent(host, times))
  const silent = new Set(expected.filter((host) => isSilent(host, times)))
  const reported = expected.filter((host) => host.after !== undefined && !silent.has(host))
  const gone = new Set([...silent, ...reported])
  return {
    expected: expected.map(nameOf),
    reported: reported.map(nameOf),
    awaited: expected.filter((host) => !gone.has(host)).map(nameOf),
    error: reported.filter(({ after }) => (after?.errors.length ?? 0) > 0).map(nameOf),
    silent: [...silent].map(nameOf),
    'new-drift': reported.filter(({ after }) => (after?.drifts.length ?? 0) > 0).map(nameOf),
  }
}

interface Times {
  readonly releasedAtMs: number
  readonly nowMs: number
}

/**
 * A host that was silent before the release says nothing about the policies. A host that never reported may be waiting
 * for its first policies.
 */
function wasSilent({ heardAtMs, intervalMs, isUnheard, after }: HostSigns, { releasedAtMs, nowMs }: Times): boolean {
  if (after !== undefined) return false
  if (heardAtMs === undefined) return nowMs - releasedAtMs > 2 * intervalMs
  return isUnheard && heardAtMs + 2 * intervalMs < releasedAtMs
}

/** A host that only reports about other policies counts as silent: its state under the new ones is unknown. */
function isSilent({ isUnheard, after, intervalMs, heardAtMs }: HostSigns, { releasedAtMs, nowMs }: Times): boolean {
  if (heardAtMs === undefined && after === undefined) return false
  return isUnheard || (after === undefined && nowMs - releasedAtMs > 2 * intervalMs)
}

function nameOf({ name }: HostSigns): string {
  return name
}

function stopOf(ring: JudgedRing, limits: Limits, nowMs: number): Verdict | undefined {
  const count = countRing(ring, nowMs)
  for (const limit of limits) {
    const hosts = count[limit.measure]
    const share = { hosts: hosts.length, of: ofHowMany(limit.measure, count) }
    if (isOver(limit, share))
      return { kind: 'stop', ring: ring.name, limit, hosts, reason: stopWords(ring.name, limit, share) }
  }
  return undefined
}

/**
 * Denominator of a limit. The first reporting hosts are few, so one of them would be a large share: while others are
 * awaited, the limit applies to all expected hosts.
 */
function ofHowMany(measure: Measure, { expected, reported, awaited }: RingCount): number {
  return measure === 'silent' || awaited.length > 0 ? expected.length : reported.length
}

function stopWords(ring: string, limit: Limit, share: Share): string {
  return `ring ${ring}: ${shareWords(share)} ${WORDS[limit.measure]}, which is ${limitWords(limit)}`
}

const WORDS: Readonly<Record<Measure, string>> = {
  error: 'had new unknown results',
  silent: 'did not report with the new policy',
  'new-drift': 'had new drift',
}

/**
 * Share of hosts, in tenths, that must have reported before the soak begins: a host that returns late does not restart
 * it.
 */
const ENOUGH_TENTHS = 9

function whyWait(ring: JudgedRing, soakMs: number, nowMs: number): string | undefined {
  const { expected, reported, awaited } = countRing(ring, nowMs)
  if (expected.length === 0) return `no host of ring ${ring.name} has reported since it received the policy`
  if (awaited.length > 0) {
    const first = awaited.slice(0, 3).join(', ')
    return `${countOf(awaited.length, 'host')} of ring ${ring.name} may still report: ${first}${awaited.length > 3 ? ' and others' : ''}`
  }
  if (reported.length === 0) return `no host of ring ${ring.name} has reported with the new policy`
  const leftMs = soakEndMs(ring, { expected: expected.length, reported }, soakMs) - nowMs
  return leftMs > 0 ? `ring ${ring.name} soaks for ${spanWords(soakMs)}: ${spanWords(leftMs)} left` : undefined
}

function soakEndMs(
  { releasedAtMs = 0, hosts }: JudgedRing,
  { expected, reported }: { readonly expected: number; readonly reported: readonly string[] },
  soakMs: number,
): number {
  const counted = new Set(reported)
  const times = hosts.flatMap(({ name, after }) => (after !== undefined && counted.has(name) ? [after.sinceMs] : []))
  const enough = Math.min(times.length, Math.ceil((expected * ENOUGH_TENTHS) / 10))
  const begunMs = times.toSorted((left, right) => left - right)[enough - 1] ?? releasedAtMs
  return Math.max(begunMs, releasedAtMs) + soakMs
}
