import { EXIT } from '../../model/gate.ts'
import type { Run } from '../../model/run.ts'
import type { Comparison } from '../../model/findings/compare.ts'
import { PLAIN, type ReportFormat } from '../../report/format.ts'
import type { ScanOutcome } from './child-scan.ts'

/** What goes with the outcome of a scan. */
export interface ScanCircumstances {
  /** Whether the next scan was due before this one had ended. */
  readonly isLate: boolean
  /** When the next one starts; undefined if absent. */
  readonly nextAt: Date | undefined
}

/** How a line about a scan is made. */
export interface LineStyle {
  /** The report for people, whose summary is in the line. */
  readonly text: ReportFormat
  /** After what time a scan is cut. */
  readonly timeoutMs: number
}

/** What a scan came to, in one line. */
export async function describeOutcome(outcome: ScanOutcome, { text, timeoutMs }: LineStyle): Promise<string> {
  switch (outcome.kind) {
    case 'done':
      return outcome.run.exit.code === EXIT.notPerformed
        ? `the scan could not be performed, exit ${EXIT.notPerformed}`
        : `${await summaryOf(text, outcome.run)}${outcome.exitCode === outcome.run.exit.code ? '' : `; the scan ended with exit ${outcome.exitCode}`}`
    case 'cut':
      return `the scan was cut: no end after ${timeoutMs / 1000} s${doneOf(outcome.run)}`
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
  return run === undefined ? '' : `; resources that were done: ${run.summary.total}`
}

/** What else there is to say about a scan, `changed` being what is different from the scan before. */
export function remarksOn({ isLate, nextAt }: ScanCircumstances, changed: Comparison | undefined): readonly string[] {
  return [
    ...(changed === undefined ? [] : [`changed: ${changesIn(changed)}`]),
    ...(isLate ? ['the next scan was due before this one had ended, and is left out'] : []),
    ...(nextAt === undefined ? [] : [`next at ${nextAt.toISOString()}`]),
  ]
}

function changesIn({ counts, resources }: Comparison): string {
  const told = (['new', 'changed', 'resolved', 'incomparable'] as const).flatMap((fate) =>
    counts[fate] === 0 ? [] : `${counts[fate]} ${fate}`,
  )
  return told.length === 0 ? `${resources.length} verdicts` : told.join(', ')
}
