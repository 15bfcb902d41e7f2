import type { Problem } from '../core/problem.ts'
import type { Run } from '../core/run.ts'
import { OperatorError } from '../core/operator-error.ts'
import { readReport } from './read-report.ts'

/** Reads several reports, all of them or none: throws an `OperatorError` that says what is wrong with each. */
export async function readReports(paths: readonly string[]): Promise<readonly [Run, ...Run[]]> {
  const runs: Run[] = []
  const problems: Problem[] = []
  for (const path of paths) {
    try {
      runs.push(await readReport(path))
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      problems.push({ message: error.message, severity: 'error' })
    }
  }
  const [first, ...others] = runs
  if (problems.length > 0 || first === undefined) {
    throw new OperatorError('not all reports can be used', { problems })
  }
  return [first, ...others]
}
