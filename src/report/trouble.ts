import { problemLines } from '../core/format-problem.ts'
import type { Run } from '../core/run.ts'

/** Why a run proves less than the results in it let one think. */
export interface Trouble {
  readonly kind: 'invalid' | 'interrupted' | 'incomplete' | 'nothing-evaluated'
  /** The first one alone says what is the matter, the problems follow. Escaped. */
  readonly lines: readonly [string, ...string[]]
}

/**
 * What green results, or none at all, would hide: that the scan could not be performed, was interrupted, or evaluated
 * nothing. Every format that can show a failure has to show this one.
 */
export function findTrouble(run: Run): Trouble | undefined {
  if (run.exit.code === 1) {
    const problems = (run.problems ?? []).flatMap(problemLines)
    return { kind: 'invalid', lines: ['The scan could not be performed.', ...problems] }
  }
  if (run.run.interrupted) {
    return { kind: 'interrupted', lines: ['The scan was interrupted: resources not reached are missing.'] }
  }
  // Among several runs, one that was not performed or evaluated nothing.
  const gaps = (run.problems ?? []).filter(({ severity }) => severity === 'error').flatMap(problemLines)
  if (gaps.length > 0) return { kind: 'incomplete', lines: ['Not every scan in this report is whole.', ...gaps] }
  if (isEvaluated(run)) return undefined
  return { kind: 'nothing-evaluated', lines: ['The scan evaluated nothing, so it proves nothing.'] }
}

function isEvaluated({ exit, policies }: Run): boolean {
  return exit.code !== 5 && policies.some(({ resources }) => resources.length > 0)
}
