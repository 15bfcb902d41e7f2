import type { Run } from '../../model/run.ts'
import type { Comparison } from '../../model/findings/compare.ts'
import type { Io } from './io.ts'

export interface ComparisonStyle {
  readonly format: 'text' | 'json' | 'markdown'
  /** Also list unchanged items; text format only. */
  readonly verbose: boolean
}

/** Prints the changes between two runs, and returns the exit code. */
export async function printComparison(before: Run, after: Run, style: ComparisonStyle & { io: Io }): Promise<number> {
  const [{ compareRuns }, { exitOfComparison }] = await Promise.all([
    import('../../model/findings/compare.ts'),
    import('../../report/comparison/index.ts'),
  ])
  const comparison = compareRuns(before, after)
  await style.io.print(await render(comparison, style))
  return exitOfComparison(comparison)
}

async function render(comparison: Comparison, { format, verbose, io }: ComparisonStyle & { io: Io }): Promise<string> {
  if (format === 'markdown') {
    const { comparisonMarkdown } = await import('../../report/comparison/markdown.ts')
    return comparisonMarkdown(comparison)
  }
  const { comparisonJson, comparisonText } = await import('../../report/comparison/index.ts')
  return format === 'json'
    ? comparisonJson(comparison)
    : comparisonText(comparison, { verbose, paint: await io.paintOutput() })
}
