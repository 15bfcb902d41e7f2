import type { Severity } from '../../model/verdict.ts'
import type { Requirement, Standing } from './requirements.ts'

/**
 * The weight of a requirement by severity: ten times its impact in the Heimdall Data Format. Documented in
 * `docs/guide/severities.md`.
 */
export const SEVERITY_WEIGHTS: Readonly<Record<Severity, number>> = {
  critical: 10,
  high: 7,
  medium: 5,
  low: 3,
  info: 1,
}

/** Known drift is drift, and an unknown result never counts as met. */
const COUNTED: ReadonlySet<Standing> = new Set<Standing>(['drifted', 'undecided', 'known', 'met'])

/**
 * The score of requirements, usually those of one policy: the weighted share of met ones in percent, rounded down, so that 100
 * means that everything that counts is met. A requirement is met completely or not at all. Not applicable, manual and waived
 * requirements do not count. Undefined if nothing counts.
 */
export function scoreOf(requirements: readonly Requirement[]): number | undefined {
  const weigh = (chosen: readonly Requirement[]): number =>
    chosen.reduce((sum, { severity }) => sum + SEVERITY_WEIGHTS[severity], 0)
  const counted = weigh(requirements.filter(({ standing }) => COUNTED.has(standing)))
  if (counted === 0) return undefined
  const met = weigh(requirements.filter(({ standing }) => standing === 'met'))
  return Math.floor((100 * met) / counted)
}
