import { countOf } from '../../model/count-of.ts'
import { nounOf, type Requirement } from './requirements.ts'

/** How many requirements of policies were decided. The parts add up to `total`. */
export interface Coverage {
  readonly total: number
  /** Met or drifted, including waived drift. */
  readonly decided: number
  readonly notApplicable: number
  readonly manual: number
  /** Unknown, failed or blocked. */
  readonly undecided: number
  /** Not evaluated, because of a selection or an interruption. */
  readonly skipped: number
}

/** The coverage of requirements. `skipped` is the number of requirements without a result, see `skippedIn`. */
export function coverageOf(requirements: readonly Requirement[], skipped: number): Coverage {
  const count = (...wanted: readonly Requirement['standing'][]): number =>
    requirements.filter(({ standing }) => wanted.includes(standing)).length
  return {
    total: requirements.length + skipped,
    decided: count('drifted', 'known', 'waived', 'met'),
    notApplicable: count('not-applicable'),
    manual: count('manual'),
    undecided: count('undecided'),
    skipped,
  }
}

/** Total number of skipped requirements. */
export function skippedIn(policies: readonly { readonly skipped?: number }[]): number {
  return policies.reduce((sum, { skipped = 0 }) => sum + skipped, 0)
}

/**
 * Coverage as a sentence without a full stop: `135 controls: 117 decided, 4 not applicable, 14 unknown`.
 * Parts that are 0 are left out, except decided ones.
 */
export function describeCoverage(coverage: Coverage, requirements: readonly Requirement[]): string {
  const { total, decided, notApplicable, manual, undecided, skipped } = coverage
  const parts: readonly (readonly [count: number, words: string])[] = [
    [notApplicable, 'not applicable'],
    [manual, 'manual (needs review)'],
    [undecided, 'unknown'],
    [skipped, 'skipped'],
  ]
  const others = parts.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`)
  return `${countOf(total, nounOf(requirements))}: ${[`${decided} evaluated`, ...others].join(', ')}`
}
