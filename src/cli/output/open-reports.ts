import { OperatorError } from '../../model/operator-error.ts'
import type { ReportFormat } from '../../report/format.ts'
import { openOutputFile, type OutputFile } from '../../host/live/output-file.ts'
import type { ReportRequest } from './report-requests.ts'

/** A report whose destination is open: a file, or standard output if absent. */
export interface OpenReport {
  readonly format: ReportFormat
  readonly file?: OutputFile
}

/** Opens the files of all reports, with the chosen permissions; throws an `OperatorError` if one cannot be written, and leaves none behind then. */
export function openReports(requests: readonly ReportRequest[], mode: number | undefined): readonly OpenReport[] {
  const open: OpenReport[] = []
  try {
    for (const { format, path } of requests) {
      open.push(
        path === undefined ? { format } : { format, file: openOutputFile(path, { mode: mode ?? modeOf(format) }) },
      )
    }
  } catch (error) {
    for (const { file } of open) file?.discard()
    throw error
  }
  return open
}

/** What is in a file may be in a report of it, and only its owner may know it. */
function modeOf({ isPublic }: ReportFormat): number | undefined {
  return isPublic === true ? undefined : 0o600
}

/** That the format of a report does not work: it threw `cause`, or without a cause returned a value that is not a string. */
export function cannotMake(format: string, ...cause: readonly [cause?: unknown]): OperatorError {
  if (cause.length === 0) return new OperatorError(`the report ${format} cannot be made: its format gives no text`)
  const [error] = cause
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return new OperatorError(`the report ${format} cannot be made: its format throws ${reason}`, { cause: error })
}
