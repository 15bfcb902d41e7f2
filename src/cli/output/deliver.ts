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

/** How reports are shown. */
export interface Delivery {
  readonly io: Io
  readonly quiet: boolean
  /** For standard output: what is in a file does not depend on what a screen shows. */
  readonly verbose: boolean
  /** Whether people have been told on standard error why there was no scan. */
  readonly isTold: boolean
  /** Earlier runs, oldest first, for formats that show a trend. */
  readonly trend?: readonly TrendPoint[] | undefined
  /** The reports of which everything but the end is written. */
  readonly live?: ReadonlyMap<OpenReport, Pick<LiveReport, 'finish'>>
  /** Why the run ends as not performed regardless of its reports, such as a history that cannot be stored. */
  readonly lacks?: readonly string[]
}

/**
 * Writes every report of a run and returns whether all could be made and written; what one of them lacks is said, and the
 * others are written all the same; a summary for people has the exit code that follows. Files come first, so that a slow reader of
 * standard output does not hold them up. What a fix has fixed is said on standard error where a report of it is missing.
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

/** The run as it ends where reports are missing. */
function withMissing(run: Run, missing: readonly string[]): Run {
  if (missing.length === 0) return run
  return { ...run, exit: { code: EXIT.notPerformed, reasons: [...run.exit.reasons, ...missing] } }
}

function fixedBy({ policies }: Run): readonly string[] {
  return policies.flatMap(({ resources }) => resources.filter(({ verdict }) => verdict === 'fixed').map(({ id }) => id))
}

async function deliver(report: OpenReport, whole: Run, delivery: Delivery): Promise<void> {
  const { format, file } = report
  const { io, quiet, verbose, isTold, trend } = delivery
  const run = (file?.isPrivate ?? io.isOutputPrivate()) ? whole : withoutConfidential(whole)
  const more = defined({ trend })
  const live = delivery.live?.get(report)
  await live?.finish(whole)
  if (file !== undefined) {
    if (live === undefined) await file.commit(await textOf(format, run, { ...PLAIN, ...more, file: file.path }))
    if (!quiet) io.say(`driftgate: wrote ${file.path}\n`)
    return
  }
  if (live !== undefined) return
  // A program that reads standard output gets its report all the same.
  if (format.summarize !== undefined && isTold) return
  const shown = quiet && format.summarize !== undefined ? { ...format, render: format.summarize } : format
  const width = io.outputColumns()
  const screen = { paint: await io.paintOutput(), ...defined({ width }) }
  await io.print(await textOf(shown, run, { verbose, ...more, ...screen }))
}

/** What a format makes of a run. It may be the code of a plugin, which must not cost the operator the other reports. */
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
