import type { Run } from '../core/run.ts'
import { didYouMean } from '../core/suggest.ts'
import { PLAIN, type RenderOptions, type ReportFormat } from './format.ts'
import { json } from './json.ts'
import { junit } from './junit.ts'
import { plan } from './plan.ts'
import { text } from './text.ts'

/** Every report format, in the order help lists them. */
export const reportFormats: readonly ReportFormat[] = [text, plan, json, junit]

/** The format of that name, or undefined. */
export function findReportFormat(name: string): ReportFormat | undefined {
  return reportFormats.find((format) => format.name === name)
}

/**
 * The run in the named format (`text`, `plan`, `json`, `junit`), by default without colour and without what is compliant.
 * Rejects with the formats there are when the name is none of them.
 */
export async function renderReport(run: Run, formatName: string, options: RenderOptions = PLAIN): Promise<string> {
  const format = findReportFormat(formatName)
  if (format === undefined) {
    const names = reportFormats.map(({ name }) => name)
    throw new Error(
      `unknown report format "${formatName}"${didYouMean(formatName, names)}; there are ${names.join(', ')}`,
    )
  }
  return await format.render(run, options)
}
