import { countOf } from '../../model/count-of.ts'
import { nounOf, type Requirement } from './requirements.ts'

/** What became of everything that policies ask for. The parts add up to `total`. */
export interface Coverage {
  readonly total: number
  /** Met or drifted, waived drift included. */
  readonly decided: number
  readonly notApplicable: number
  /** Those that a person has to look at. */
  readonly manual: number
  /** What could not be read, had an error, or was blocked by something else. */
  readonly undecided: number
  /** What was not looked at: left out by a selection, or not reached before an interruption. */
  readonly skipped: number
}

/**
 * What of the requirements was decided. `skipped` is the number of those that the policies have and the run has no result
 * for; `skippedIn` adds it up.
 */
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

/** How many requirements of some policies a run has no result for. */
export function skippedIn(policies: readonly { readonly skipped?: number }[]): number {
  return policies.reduce((sum, { skipped = 0 }) => sum + skipped, 0)
}

/**
 * Coverage as a sentence without a full stop: `135 controls: 117 decided, 4 not applicable, 14 could not be decided`. Parts
 * that are 0 are left out, but for what was decided.
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
