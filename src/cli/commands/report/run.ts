import { escapeForTerminal } from '../../../model/escape.ts'
import { EXIT } from '../../../model/gate.ts'
import { OperatorError } from '../../../model/operator-error.ts'
import { mergeRuns } from '../../../model/findings/merge.ts'
import { readEachReport } from '../../../report/stored/read-report.ts'
import { loadRunExtensions } from '../../options/extension.ts'
import { reportMode } from '../../options/report-mode.ts'
import { deliverReports } from '../../output/deliver.ts'
import type { Io } from '../../output/io.ts'
import { openReports } from '../../output/open-reports.ts'
import { refuseInputs } from '../../output/refuse-inputs.ts'
import { parseRequest } from '../../output/report-requests.ts'
import type { ReportInvocation } from './index.ts'

/**
 * Renders stored reports as one report and returns the exit code; names and skips unreadable ones. Throws an
 * `OperatorError` if all are unreadable, or the output cannot be written.
 */
export async function runReport(
  { operands: [wanted = '', ...paths], options }: ReportInvocation,
  io: Io,
): Promise<number> {
  const { reportFormats } = await loadRunExtensions(options, io)
  const request = parseRequest(wanted, reportFormats, 'report')
  refuseInputs(request.path === undefined ? [] : [request.path], paths)
  const { runs, problems } = await readEachReport(paths, io.stdin)
  const [first, ...others] = runs
  if (first === undefined) throw new OperatorError('no usable report', { problems })
  for (const { message } of problems) io.say(`driftgate: ${escapeForTerminal(message)}; skipped\n`)
  const run = mergeRuns([first, ...others], problems)
  const delivery = { io, quiet: false, verbose: options.verbose, details: options.details, isTold: false }
  const isComplete = await deliverReports(openReports([request], reportMode(options)), run, delivery)
  if (!isComplete) return EXIT.notPerformed
  return problems.length > 0 ? EXIT.undecided : EXIT.ok
}
