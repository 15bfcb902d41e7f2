import type { Run } from '../core/run.ts'
import { didYouMean } from '../core/suggest.ts'
import { PLAIN, type RenderOptions, type ReportFormat } from './format.ts'
import { json } from './formats/json/index.ts'
import { plan } from './formats/plan/index.ts'
import { text } from './formats/text/index.ts'

const junit = lazy(
  {
    name: 'junit',
    summary: 'for CI systems: JUnit XML, one suite per policy and one case per resource',
    fileName: 'junit.xml',
  },
  () => import('./formats/junit/index.ts'),
)

const tap = lazy(
  { name: 'tap', summary: 'for test harnesses: TAP 14, one test point per resource' },
  () => import('./formats/tap/index.ts'),
)

const prometheus = lazy(
  {
    name: 'prometheus',
    summary: 'for monitoring: metrics for the textfile collector of node_exporter',
    isPublic: true,
  },
  () => import('./formats/prometheus/index.ts'),
)

const hdf = lazy(
  { name: 'hdf', summary: 'for Heimdall and the SAF tools: Heimdall Data Format, a profile per policy' },
  () => import('./formats/hdf/index.ts'),
)

const loadNdjson = (): Promise<typeof import('./formats/ndjson/index.ts')> => import('./formats/ndjson/index.ts')
const ndjson: ReportFormat = {
  ...lazy(
    {
      name: 'ndjson',
      summary: 'for programs, while the scan runs: one JSON event a line, by schemas/event.schema.json',
    },
    loadNdjson,
  ),
  stream: async () => (await loadNdjson()).stream(),
}

const html = lazy(
  {
    name: 'html',
    summary: 'for people: one page to filter and search, which needs no network and can be printed',
  },
  () => import('./formats/html/index.ts'),
)

const sarif = lazy(
  { name: 'sarif', summary: 'for code analysis viewers: SARIF 2.1.0 with everything a run knows' },
  () => import('./formats/sarif/index.ts'),
)
const sarifGithub = lazy(
  {
    name: 'sarif-github',
    summary: 'for code scanning on GitHub: SARIF with what counts, at the lines of the policies',
  },
  () => import('./formats/sarif/github.ts'),
)
const gitlab = lazy(
  { name: 'gitlab', summary: 'for merge requests on GitLab: a code quality report' },
  () => import('./formats/gitlab/index.ts'),
)
const github = lazy(
  { name: 'github', summary: 'for the log of GitHub Actions: workflow commands that become annotations' },
  () => import('./formats/github/index.ts'),
)
const markdown = lazy(
  { name: 'markdown', summary: 'for comments on pull requests and summaries of jobs' },
  () => import('./formats/markdown/index.ts'),
)

/** Every report format, in the order help lists them. Those that a plain scan does not need are loaded when rendered. */
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
  ndjson,
  html,
]

/** A format whose module, with its function `render`, is loaded when a report is made. */
function lazy(format: Omit<ReportFormat, 'render'>, load: () => Promise<Pick<ReportFormat, 'render'>>): ReportFormat {
  return { ...format, render: async (run, options) => (await load()).render(run, options) }
}

/** The format of that name, or undefined. */
export function findReportFormat(name: string): ReportFormat | undefined {
  return reportFormats.find((format) => format.name === name)
}

/**
 * The run in the named format, one of `reportFormats`, by default without colour and without what is compliant.
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
