import type { Run } from '../core/run.ts'
import type { Io } from './io.ts'

/** How a comparison is shown. */
export interface ComparisonStyle {
  readonly format: 'text' | 'json'
  /** List what is unchanged, too. */
  readonly verbose: boolean
}

/** Prints what changed from one run to a later one, and returns the exit code. */
export async function printComparison(before: Run, after: Run, style: ComparisonStyle & { io: Io }): Promise<number> {
  const { io, format, verbose } = style
  const [{ compareRuns }, { comparisonJson, comparisonText, exitOfComparison }] = await Promise.all([
    import('../findings/compare.ts'),
    import('../report/comparison.ts'),
  ])
  const comparison = compareRuns(before, after)
  const text =
    format === 'json'
      ? comparisonJson(comparison)
      : comparisonText(comparison, { verbose, paint: await io.paintOutput() })
  await io.print(text)
  return exitOfComparison(comparison)
}
