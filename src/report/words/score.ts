import type { Severity } from '../../model/verdict.ts'
import type { Requirement, Standing } from './requirements.ts'

/**
 * What a requirement of each severity weighs in a score: ten times its impact in the Heimdall Data Format.
 * `docs/guide/severities.md` says so to users.
 */
export const SEVERITY_WEIGHTS: Readonly<Record<Severity, number>> = {
  critical: 10,
  high: 7,
  medium: 5,
  low: 3,
  info: 1,
}

/** How much of what was asked for holds, by weight. */
export interface Score {
  /** 0 to 100, rounded down: 100 is said only where everything that counts is met. */
  readonly percent: number
  /** The weight of what is met. */
  readonly met: number
  /** The weight of what counts. */
  readonly counted: number
}

/** Drift that the baseline has is drift, and an unknown result never counts as met. */
const COUNTED: ReadonlySet<Standing> = new Set<Standing>(['drifted', 'undecided', 'known', 'met'])

/**
 * The score of requirements, those of one policy as a rule. A requirement is met as a whole or not at all. What does not
 * apply, what a person has to look at and what is waived does not count. Undefined where nothing counts: no score is
 * better than one that proves nothing.
 */
export function scoreOf(requirements: readonly Requirement[]): Score | undefined {
  const weigh = (chosen: readonly Requirement[]): number =>
    chosen.reduce((sum, { severity }) => sum + SEVERITY_WEIGHTS[severity], 0)
  const counted = weigh(requirements.filter(({ standing }) => COUNTED.has(standing)))
  if (counted === 0) return undefined
  const met = weigh(requirements.filter(({ standing }) => standing === 'met'))
  return { percent: Math.floor((100 * met) / counted), met, counted }
}
