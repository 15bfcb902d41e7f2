import { defined } from '../../model/defined.ts'
import { escapeForTerminal } from '../../model/escape.ts'
import { EXIT } from '../../model/gate.ts'
import { OperatorError } from '../../model/operator-error.ts'
import type { Run } from '../../model/run.ts'
import { withoutConfidential } from '../../report/confidential.ts'
import { PLAIN, type RenderOptions, type ReportFormat, type TrendPoint } from '../../report/format.ts'
import type { Io } from './io.ts'
import type { LiveReport } from './live-reports.ts'
import { cannotMake, type OpenReport } from './open-reports.ts'
import { renderWithin } from './render-within.ts'

export interface Delivery {
  readonly io: Io
  readonly quiet: boolean
  /** For standard output only: files do not depend on screen options. */
  readonly verbose: boolean
  /** Whether standard output lists resources in a long report whose controls are listed. */
  readonly details: boolean
  /** True if standard error already says why there was no scan. */
  readonly isTold: boolean
  /** Earlier runs, oldest first, for trends. */
  readonly trend?: readonly TrendPoint[] | undefined
  /** Streamed reports, of which only the end is missing. */
  readonly live?: ReadonlyMap<OpenReport, Pick<LiveReport, 'finish'>>
  /** Reasons to end as not performed despite the reports, such as a history that cannot be stored. */
  readonly lacks?: readonly string[]
}

/**
 * Writes every report of a run; returns whether all succeeded. A failed report is announced and does not stop the
 * others; a text summary shows the resulting exit code. Files come first, so that a slow reader of standard output does
 * not delay them. If a report is missing, standard error lists the fixed resources.
 */
export async function deliverReports(reports: readonly OpenReport[], run: Run, delivery: Delivery): Promise<boolean> {
  const files = reports.filter(({ file }) => file !== undefined)
  const screens = reports.filter(({ file }) => file === undefined)
  const missing = [...(delivery.lacks ?? [])]
  for (const report of [...files, ...screens]) {
    try {
      await deliver(report, report.format.summarize === undefined ? run : withMissing(run, missing), delivery)
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      delivery.io.say(`driftgate: ${escapeForTerminal(error.message)}\n`)
      missing.push(error.message)
    }
  }
  if (missing.length > 0) for (const id of fixedBy(run)) delivery.io.say(`driftgate: fixed: ${escapeForTerminal(id)}\n`)
  return missing.length === 0
}

/** The run with the exit status for missing reports. */
function withMissing(run: Run, missing: readonly string[]): Run {
  if (missing.length === 0) return run
  return { ...run, exit: { code: EXIT.notPerformed, reasons: [...run.exit.reasons, ...missing] } }
}

function fixedBy({ policies }: Run): readonly string[] {
  return policies.flatMap(({ resources }) => resources.filter(({ verdict }) => verdict === 'fixed').map(({ id }) => id))
}

async function deliver(report: OpenReport, whole: Run, delivery: Delivery): Promise<void> {
  const { format, file } = report
  const { io, quiet, verbose, details, isTold, trend } = delivery
  const run = (file?.isPrivate ?? io.isOutputPrivate()) ? whole : withoutConfidential(whole)
  const more = defined({ trend })
  const live = delivery.live?.get(report)
  await live?.finish(whole)
  if (file !== undefined) {
    if (live === undefined) await file.commit(await contentOf(format, run, { ...PLAIN, ...more, file: file.path }))
    if (!quiet) io.say(`driftgate: wrote ${file.path}\n`)
    return
  }
  if (live !== undefined) return
  // A program that reads standard output still gets its report.
  if (format.summarize !== undefined && isTold) return
  const shown = quiet && format.summarize !== undefined ? { ...format, render: format.summarize } : format
  const width = io.outputColumns()
  const screen = { paint: await io.paintOutput(), ...defined({ width }) }
  await io.print(await textOf(shown, run, { verbose, brief: !details, ...more, ...screen }))
}

/** A report for a file. */
async function contentOf(format: ReportFormat, run: Run, options: RenderOptions): Promise<string | Iterable<string>> {
  return format.pieces === undefined ? textOf(format, run, options) : renderWithin(format.pieces(run))
}

/** Renders a report. The format may be plugin code, whose failure must not affect other reports. */
async function textOf(format: ReportFormat, run: Run, options: RenderOptions): Promise<string> {
  let text: unknown
  try {
    text = await renderWithin(format.render(run, options))
  } catch (error) {
    throw cannotMake(format.name, error)
  }
  if (typeof text === 'string') return text
  throw cannotMake(format.name)
}
