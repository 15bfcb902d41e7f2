import { countOf } from '../../model/count-of.ts'
import { spanWords } from '../../model/span-words.ts'
import { isOver, type Limit, type Limits, limitWords, type Measure, type Share, shareWords } from './conditions.ts'

/** What is known of a host of a ring. Times and spans are in milliseconds. */
export interface HostSigns {
  readonly name: string
  readonly intervalMs: number
  /** When it was last heard of for certain; absent where it never was. */
  readonly heardAtMs?: number
  /** Whether its state is unknown: silent, never heard of, or what lies in its place is not its own. */
  readonly isUnheard: boolean
  /** What it found with the new policies; absent where its newest report is about others. */
  readonly after?: {
    /** When it first reported with them. */
    readonly sinceMs: number
    /** What could not be decided and could be before, or that its newest run could not be performed. */
    readonly errors: readonly string[]
    /** What drifts and did not before. */
    readonly drifts: readonly string[]
  }
}

/** A ring with its hosts. */
export interface JudgedRing {
  readonly name: string
  /** Absent where it has not got the new policies yet. */
  readonly releasedAtMs?: number
  readonly hosts: readonly HostSigns[]
}

/** The rules of a rollout. */
export interface Rules {
  readonly soakMs: number
  readonly limits: Limits
}

/** How the hosts of a ring stand, each list with the names of hosts. */
export interface RingCount extends Readonly<Record<Measure, readonly string[]>> {
  /** Those whose report counts: all but those that were silent before the ring got the policies, and still are. */
  readonly expected: readonly string[]
  /** Those that reported with the new policies. */
  readonly reported: readonly string[]
  /** Those of which a report may still come. */
  readonly awaited: readonly string[]
}

/** What is to be done. */
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
 * Decides what comes next. A ring that has too many hosts in trouble stops everything, an earlier one too. The next ring gets the policies
 * when every host of the last one that can report has, and the time of the soak is over.
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

/** Counts the hosts of a ring. */
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

/** A host that was silent before says nothing about the policies. One that never reported may be waiting for its first ones. */
function wasSilent({ heardAtMs, intervalMs, isUnheard, after }: HostSigns, { releasedAtMs, nowMs }: Times): boolean {
  if (after !== undefined) return false
  if (heardAtMs === undefined) return nowMs - releasedAtMs > 2 * intervalMs
  return isUnheard && heardAtMs + 2 * intervalMs < releasedAtMs
}

/** One that goes on to report about other policies is as good as silent: it is unknown what the new ones find there. */
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
 * The first hosts that report are few, and one of them is many percent of those: while others are awaited, what is too much is too much
 * of all of them.
 */
function ofHowMany(measure: Measure, { expected, reported, awaited }: RingCount): number {
  return measure === 'silent' || awaited.length > 0 ? expected.length : reported.length
}

function stopWords(ring: string, limit: Limit, share: Share): string {
  return `ring ${ring}: ${shareWords(share)} ${WORDS[limit.measure]}, which is ${limitWords(limit)}`
}

const WORDS: Readonly<Record<Measure, string>> = {
  error: 'could not decide something that could be decided before',
  silent: 'did not report with the new policy',
  'new-drift': 'found drift that was not there before',
}

/** How many of the hosts must have reported before the soak begins, in tenths: one that comes back late does not begin it anew. */
const ENOUGH_TENTHS = 9

function whyWait(ring: JudgedRing, soakMs: number, nowMs: number): string | undefined {
  const { expected, reported, awaited } = countRing(ring, nowMs)
  if (expected.length === 0) return `no host of ring ${ring.name} has been heard of since before it got the policy`
  if (awaited.length > 0) {
    const first = awaited.slice(0, 3).join(', ')
    return `${countOf(awaited.length, 'host')} of ring ${ring.name} may still report: ${first}${awaited.length > 3 ? ' and others' : ''}`
  }
  if (reported.length === 0) return `no host of ring ${ring.name} has reported with the new policy`
  const leftMs = soakEndMs(ring, { expected: expected.length, reported }, soakMs) - nowMs
  return leftMs > 0
    ? `ring ${ring.name} is to run with it for ${spanWords(soakMs)}: ${spanWords(leftMs)} are left`
    : undefined
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
