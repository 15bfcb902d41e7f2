import { isKnown } from './known.ts'
import { countOf } from './count-of.ts'
import { withoutRollUps } from './roll-up.ts'
import type { ResourceResult, RunMode, Summary } from './run.ts'
import { neededInVain } from './waiver-words.ts'
import { isAtLeast, type Severity, type Verdict, VERDICTS } from './verdict.ts'

/** The exit codes. 1 is never used for drift. */
export const EXIT = {
  ok: 0,
  notPerformed: 1,
  drift: 2,
  undecided: 3,
  fixFailed: 4,
  nothingEvaluated: 5,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const

/** The exit code of a run, and a sentence for every problem. */
export interface Exit {
  readonly code: number
  readonly reasons: readonly string[]
}

export interface GateInput {
  readonly results: readonly ResourceResult[]
  readonly failOn: Severity
  readonly mode: RunMode
  /** Whether drift was compared with a reference report, so that known drift does not count. */
  readonly hasBaseline?: boolean
  readonly interruption?: Interruption
}

/** A signal that ends a run early but cleanly. */
export type InterruptingSignal = 'SIGHUP' | 'SIGINT' | 'SIGTERM'

const INTERRUPTIONS = { SIGHUP: EXIT.hungUp, SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated } as const

export function exitCodeOf(signal: InterruptingSignal): number {
  return INTERRUPTIONS[signal]
}

/** The exit code of an interruption, and its cause in words. */
export interface Interruption {
  readonly code: number
  readonly words: string
}

/**
 * The interruption of a run: a signal, whose name is the abort reason, or a program that uses driftgate, with its own
 * reason. Undefined if the run was not aborted.
 */
export function interruptionOf({ aborted, reason }: AbortSignal): Interruption | undefined {
  if (!aborted) return undefined
  if (isSignal(reason)) return { code: exitCodeOf(reason), words: `interrupted by ${reason}` }
  return { code: EXIT.interrupted, words: `interrupted: ${wordsOf(reason)}` }
}

function isSignal(reason: unknown): reason is InterruptingSignal {
  return typeof reason === 'string' && Object.hasOwn(INTERRUPTIONS, reason)
}

function wordsOf(reason: unknown): string {
  const words = reason instanceof Error ? reason.message : reason
  return typeof words === 'string' && words !== '' ? words : 'its caller gave no reason'
}

/** The exit code of a run: interrupted, then fix-failed, drift, undecided, nothing evaluated. */
export function decideExit({ results: all, failOn, hasBaseline = false, interruption }: GateInput): Exit {
  const results = withoutRollUps(all)
  const count = (verdict: Verdict): number => results.filter((result) => result.verdict === verdict).length
  const known = results.filter(isKnown).length
  const drifted = results.filter((result) => result.verdict === 'drifted' && !isKnown(result))
  const gating = drifted.filter(({ severity }) => isAtLeast(severity, failOn)).length
  const beyond = hasBaseline ? ' beyond the baseline' : ''
  const evaluated = results.length - count('not-applicable')
  const troubles: readonly (readonly [number, string] | false)[] = [
    interruption !== undefined && [
      interruption.code,
      `${interruption.words}; the remaining resources were not evaluated`,
    ],
    count('fix-failed') > 0 && [EXIT.fixFailed, `${countOf(count('fix-failed'), 'resource')} failed to fix`],
    gating > 0 && [EXIT.drift, `${countOf(gating, 'resource')} drifted at or above severity ${failOn}${beyond}`],
    count('error') > 0 && [EXIT.undecided, `${countOf(count('error'), 'resource')} unknown`],
    count('blocked') > 0 && [EXIT.undecided, `${countOf(count('blocked'), 'resource')} blocked`],
    interruption === undefined && evaluated === 0 && [EXIT.nothingEvaluated, nothingEvaluated(results.length)],
    drifted.length > gating && [
      EXIT.ok,
      `${countOf(drifted.length - gating, 'resource')} drifted below severity ${failOn}`,
    ],
    known > 0 && [EXIT.ok, `${countOf(known, 'resource')} drifted as in the baseline`],
    ...expiredWaivers(results).map((reason) => [EXIT.ok, reason] as const),
  ]
  const found = troubles.filter((trouble) => trouble !== false)
  return { code: found[0]?.[0] ?? EXIT.ok, reasons: found.map(([, reason]) => reason) }
}

/** A sentence on drift whose waiver has expired. Has no effect on the exit code. */
function expiredWaivers(results: readonly ResourceResult[]): readonly string[] {
  const drifted = results.filter(({ verdict }) => verdict === 'drifted')
  const expired = drifted.flatMap(neededInVain).filter(({ state }) => state === 'expired')
  const named = [...new Map(expired.map(({ id, expires }) => [id, `${id} (${expires})`])).values()]
  if (named.length === 0) return []
  return [`${countOf(named.length, 'waiver')} expired: ${named.join(', ')}`]
}

function nothingEvaluated(selected: number): string {
  return selected === 0
    ? 'nothing was evaluated: no resource matches the selection'
    : 'nothing was evaluated: no resource applies to this host'
}

/** The exit code of several runs: runs that could not be performed or were interrupted come first. */
export function worstExit(codes: readonly number[]): number {
  return GRAVEST_FIRST.find((code) => codes.includes(code)) ?? EXIT.ok
}

/** Compares two exit codes; the worse one sorts first. */
export function compareExits(left: number, right: number): number {
  const rank = (code: number): number => (code === EXIT.ok ? GRAVEST_FIRST.length : GRAVEST_FIRST.indexOf(code))
  return rank(left) - rank(right)
}

const GRAVEST_FIRST: readonly number[] = [
  EXIT.notPerformed,
  EXIT.hungUp,
  EXIT.interrupted,
  EXIT.terminated,
  EXIT.fixFailed,
  EXIT.drift,
  EXIT.undecided,
  EXIT.nothingEvaluated,
]

export function summarize(results: readonly ResourceResult[]): Summary {
  const counts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])) as Record<Verdict, number>
  const counted = withoutRollUps(results)
  for (const { verdict } of counted) counts[verdict]++
  return { total: counted.length, ...counts }
}
