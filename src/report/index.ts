import type { Run } from '../model/run.ts'
import { didYouMean } from '../model/suggest.ts'
import { PLAIN, type RenderOptions, type ReportFormat } from './format.ts'
import { github } from './formats/github/index.ts'
import { gitlab } from './formats/gitlab/index.ts'
import { hdf } from './formats/hdf/index.ts'
import { html } from './formats/html/index.ts'
import { json } from './formats/json/index.ts'
import { junit } from './formats/junit/index.ts'
import { markdown } from './formats/markdown/index.ts'
import { ndjson } from './formats/ndjson/index.ts'
import { oscal } from './formats/oscal/index.ts'
import { plan } from './formats/plan/index.ts'
import { prometheus } from './formats/prometheus/index.ts'
import { sarif } from './formats/sarif/index.ts'
import { sarifGithub } from './formats/sarif-github/index.ts'
import { tap } from './formats/tap/index.ts'
import { text } from './formats/text/index.ts'

/** All report formats, in the order of the help. Their code is loaded on rendering. */
export const reportFormats: readonly ReportFormat[] = [
  text,
  plan,
  json,
  junit,
  sarif,
  sarifGithub,
  gitlab,
  github,
  markdown,
  tap,
  prometheus,
  hdf,
  oscal,
  ndjson,
  html,
]

/** The format of that name; undefined if unknown. */
export function findReportFormat(name: string): ReportFormat | undefined {
  return reportFormats.find((format) => format.name === name)
}

/**
 * Renders a run in a format, given as an object or by the name of one of `reportFormats`; by default without colour and
 * compliant resources. Rejects an unknown name with a list of the known ones.
 */
export async function renderReport(
  run: Run,
  format: string | ReportFormat,
  options: RenderOptions = PLAIN,
): Promise<string> {
  const chosen = typeof format === 'string' ? formatNamed(format) : format
  return await chosen.render(run, options)
}

function formatNamed(name: string): ReportFormat {
  const format = findReportFormat(name)
  if (format !== undefined) return format
  const names = reportFormats.map((each) => each.name)
  throw new Error(`unknown report format "${name}"${didYouMean(name, names)}; known: ${names.join(', ')}`)
}
