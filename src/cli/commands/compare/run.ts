import { readReports } from '../../../report/stored/read-report.ts'
import { usageError } from '../../errors.ts'
import type { Io } from '../../output/io.ts'
import { printComparison } from '../../output/print-comparison.ts'
import type { CompareInvocation } from './index.ts'

/**
 * Prints the differences of two reports and returns the exit code. Throws an `OperatorError` for unreadable reports.
 */
export async function runCompare(
  { operands: [before = '', after = ''], options }: CompareInvocation,
  io: Io,
): Promise<number> {
  if (before === '-' && after === '-') throw usageError('only one report can come from standard input', 'compare')
  const [first, second = first] = await readReports([before, after], io.stdin)
  return printComparison(first, second, { ...options, io })
}
