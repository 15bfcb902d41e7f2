import { EXIT } from '../../model/gate.ts'
import type { Run } from '../../model/run.ts'
import type { Comparison } from '../../model/findings/compare.ts'
import { PLAIN, type ReportFormat } from '../../report/format.ts'
import type { ScanOutcome } from './child-scan.ts'

/** Circumstances of a scan. */
export interface ScanCircumstances {
  /** True if the next scan was due before this one ended. */
  readonly isLate: boolean
  /** Start of the next scan; undefined if there are no more. */
  readonly nextAt: Date | undefined
}

/** Format of a line about a scan. */
export interface LineStyle {
  /** Text report, whose summary is part of the line. */
  readonly text: ReportFormat
  /** Scan timeout. */
  readonly timeoutMs: number
}

/** Outcome of a scan in one line. */
export async function describeOutcome(outcome: ScanOutcome, { text, timeoutMs }: LineStyle): Promise<string> {
  switch (outcome.kind) {
    case 'done':
      return outcome.run.exit.code === EXIT.notPerformed
        ? `the scan could not be performed, exit ${EXIT.notPerformed}`
        : `${await summaryOf(text, outcome.run)}${outcome.exitCode === outcome.run.exit.code ? '' : `; the scan ended with exit ${outcome.exitCode}`}`
    case 'cut':
      return `the scan was killed after ${timeoutMs / 1000} s${doneOf(outcome.run)}`
    case 'stopped':
      return `the scan was stopped${doneOf(outcome.run)}`
    case 'failed':
      return `the scan failed: ${outcome.reason}`
  }
}

async function summaryOf(text: ReportFormat, run: Run): Promise<string> {
  const [line = ''] = (await (text.summarize ?? text.render)(run, PLAIN)).split('\n')
  return `${line} (${(run.run.durationMs / 1000).toFixed(1)} s)`
}

function doneOf(run: Run | undefined): string {
  return run === undefined ? '' : `; resources evaluated: ${run.summary.total}`
}

/** Further remarks on a scan; `changed` is the difference from the previous one. */
export function remarksOn({ isLate, nextAt }: ScanCircumstances, changed: Comparison | undefined): readonly string[] {
  return [
    ...(changed === undefined ? [] : [`changed: ${changesIn(changed)}`]),
    ...(isLate ? ['the next scan was due before this one ended, and is skipped'] : []),
    ...(nextAt === undefined ? [] : [`next at ${nextAt.toISOString()}`]),
  ]
}

function changesIn({ counts, resources }: Comparison): string {
  const told = (['new', 'changed', 'resolved', 'incomparable'] as const).flatMap((fate) =>
    counts[fate] === 0 ? [] : `${counts[fate]} ${fate}`,
  )
  return told.length === 0 ? `${resources.length} verdicts` : told.join(', ')
}
