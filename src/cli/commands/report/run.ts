import { EXIT } from '../../../core/gate.ts'
import { mergeRuns } from '../../../findings/merge.ts'
import { readReports } from '../../../stored/read-report.ts'
import { loadExtensions } from '../../options/extension.ts'
import { reportMode } from '../../options/report-mode.ts'
import { deliverReports } from '../../output/deliver.ts'
import type { Io } from '../../output/io.ts'
import { openReports } from '../../output/open-reports.ts'
import { parseRequest } from '../../output/report-requests.ts'
import type { ReportInvocation } from './options.ts'

/** Renders stored reports as one and returns the exit code. Throws an `OperatorError` for what cannot be read or written. */
export async function runReport(
  { operands: [wanted = '', ...paths], options }: ReportInvocation,
  io: Io,
): Promise<number> {
  const { reportFormats } = await loadExtensions(options)
  const request = parseRequest(wanted, reportFormats, 'report')
  const run = mergeRuns(await readReports(paths))
  const delivery = { io, quiet: false, verbose: options.verbose, isTold: false }
  const isComplete = await deliverReports(openReports([request], reportMode(options)), run, delivery)
  return isComplete ? EXIT.ok : EXIT.notPerformed
}
