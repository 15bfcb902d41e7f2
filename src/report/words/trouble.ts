import { problemLines } from '../../core/format-problem.ts'
import type { Run } from '../../core/run.ts'

/** Why a run proves less than the results in it let one think. */
export interface Trouble {
  readonly kind: 'invalid' | 'interrupted' | 'incomplete' | 'nothing-evaluated'
  /** Without a full stop. */
  readonly sentence: string
  /** The sentence, and the problems below it. Escaped. */
  readonly lines: readonly [string, ...string[]]
}

/**
 * What green results, or none at all, would hide: that the scan could not be performed, was interrupted, or evaluated
 * nothing. Every format that can show a failure has to show this one.
 */
export function findTrouble(run: Run): Trouble | undefined {
  if (run.exit.code === 1) {
    return trouble('invalid', 'The scan could not be performed', (run.problems ?? []).flatMap(problemLines))
  }
  if (run.run.interrupted) return trouble('interrupted', 'The scan was interrupted: resources not reached are missing')
  // Among several runs, one that was not performed or evaluated nothing.
  const gaps = (run.problems ?? []).filter(({ severity }) => severity === 'error').flatMap(problemLines)
  if (gaps.length > 0) return trouble('incomplete', 'Not every scan in this report is whole', gaps)
  return isEvaluated(run) ? undefined : trouble('nothing-evaluated', 'The scan evaluated nothing, so it proves nothing')
}

function trouble(kind: Trouble['kind'], sentence: string, problems: readonly string[] = []): Trouble {
  return { kind, sentence, lines: [`${sentence}.`, ...problems] }
}

function isEvaluated({ exit, policies }: Run): boolean {
  return exit.code !== 5 && policies.some(({ resources }) => resources.length > 0)
}
