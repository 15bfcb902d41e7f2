import { join, resolve } from 'node:path'
import { didYouMean } from '../../model/suggest.ts'
import type { ReportFormat } from '../../report/format.ts'
import { usageError } from '../errors.ts'

export interface ReportRequest {
  readonly format: ReportFormat
  /** Path as written by the operator; default: standard output. */
  readonly path?: string
}

/** Report options of the command line. */
export interface ReportWishes {
  /** Values of `--report`: `FORMAT`, `FORMAT=PATH`, or `FORMAT=-` for standard output. */
  readonly report: readonly string[]
  /** Directory of `--out`. */
  readonly out: string | undefined
}

/**
 * Reports of a scan: the requested ones, and the default format on standard output unless another one goes there.
 * Throws an `OperatorError` for unknown formats, and for two reports on standard output or in one file.
 */
export function planReports({ report, out }: ReportWishes, formats: readonly ReportFormat[]): readonly ReportRequest[] {
  const asked = [
    ...report.map((text) => parseRequest(text, formats)),
    ...(out === undefined ? [] : requestsOfDirectory(out, formats)),
  ]
  const [screen, second] = asked.filter(({ path }) => path === undefined)
  if (second !== undefined) {
    throw usageError('only one report can go to standard output; give the others a file: --report FORMAT=PATH', 'scan')
  }
  const files = asked.filter(({ path }) => path !== undefined)
  rejectSharedFiles(files)
  const screens = screen === undefined ? formats.slice(0, 1).map((format) => ({ format })) : [screen]
  return [...screens, ...files]
}

/** Parses `FORMAT`, `FORMAT=PATH` or `FORMAT=-`; errors refer to the help of `command`. */
export function parseRequest(text: string, formats: readonly ReportFormat[], command = 'scan'): ReportRequest {
  const [, name = '', path] = /^([^=]*)(?:=(.*))?$/s.exec(text) ?? []
  const format = formats.find((known) => known.name === name)
  if (format === undefined) {
    const names = formats.map((known) => known.name)
    throw usageError(`unknown report format "${name}"${didYouMean(name, names)} (${names.join(', ')})`, command)
  }
  if (path === '') throw usageError(`missing file name in the report ${text}`, command)
  return path === undefined || path === '-' ? { format } : { format, path }
}

function requestsOfDirectory(directory: string, formats: readonly ReportFormat[]): ReportRequest[] {
  return formats.flatMap((format) =>
    format.fileName === undefined ? [] : [{ format, path: join(directory, format.fileName) }],
  )
}

function rejectSharedFiles(requests: readonly ReportRequest[]): void {
  const taken = new Set<string>()
  for (const { path = '' } of requests) {
    const place = resolve(path)
    if (taken.has(place)) throw usageError(`two reports would be written to ${path}`, 'scan')
    taken.add(place)
  }
}
