import { OperatorError } from '../../model/operator-error.ts'
import type { ReportFormat } from '../../report/format.ts'
import { openOutputFile, type OutputFile } from '../../host/live/output-file.ts'
import type { ReportRequest } from './report-requests.ts'

/** A report with its open file; without a file it goes to standard output. */
export interface OpenReport {
  readonly format: ReportFormat
  readonly file?: OutputFile
}

/**
 * Opens the files of all reports with the chosen mode; throws an `OperatorError` if one cannot be written, and then
 * leaves none behind.
 */
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

/** Reports may show file contents, which only the owner may read. */
function modeOf({ isPublic }: ReportFormat): number | undefined {
  return isPublic === true ? undefined : 0o600
}

/** Error of a report format that threw `cause`, or without a cause did not return a string. */
export function cannotMake(format: string, ...cause: readonly [cause?: unknown]): OperatorError {
  if (cause.length === 0) return new OperatorError(`cannot render the report ${format}: the format returned no text`)
  const [error] = cause
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return new OperatorError(`cannot render the report ${format}: the format threw ${reason}`, { cause: error })
}
