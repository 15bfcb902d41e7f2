import { formatValue } from '../../model/format-value.ts'
import type { DriftFate } from '../../model/baseline.ts'
import type { ComparedDrift, ComparedRun, Comparison } from '../../model/findings/compare.ts'
import { CAUSES, countFates, FATES } from './index.ts'
import { fitMarkdown, foldedSection, type MarkdownSection, tableHead } from '../words/markdown-sections.ts'
import { shortCode } from '../words/markdown.ts'

/** GitHub's limit for a comment is 65,536 characters; the rest is for a preamble. */
const CHARACTERS = 64_000

const COLUMNS = ['Severity', 'Resource', 'Property', 'Before', 'After', 'Cause'].map((title) => ({ title }))

/** The comparison for a pull request, within the limit of a comment; unchanged drift is only counted. */
export function comparisonMarkdown(comparison: Comparison): string {
  const { before, after } = comparison
  const head = [
    `## driftgate: ${countFates(comparison)}`,
    '',
    `From ${describeRun(before)} to ${describeRun(after)}`,
    '',
  ]
  const sections = FATES.filter(([fate]) => fate !== 'unchanged').map(([fate]) => fateSection(fate, comparison))
  return fitMarkdown({ head: head.join('\n'), sections, foot: '' }, CHARACTERS)
}

function describeRun({ hostname, startedAt, exitCode }: ComparedRun): string {
  return `${shortCode(hostname)} at ${shortCode(startedAt)} (exit ${exitCode})`
}

/** New and changed drift is visible; the rest is folded. */
function fateSection(fate: DriftFate, { drift }: Comparison): MarkdownSection {
  const rows = drift.filter((each) => each.fate === fate).map(driftRow)
  const name = `${fate.slice(0, 1).toUpperCase()}${fate.slice(1)}`
  const head = tableHead(COLUMNS)
  if (fate !== 'new' && fate !== 'changed') return foldedSection(name, head, rows)
  return { name, before: [`### ${name}`, '', ...head], rows, after: [] }
}

function driftRow(drift: ComparedDrift): string {
  const { severity, hostname, property, before, after, cause, why, waiver } = drift
  const resource = [...(hostname === undefined ? [] : [hostname]), [...(drift.path ?? []), drift.resource].join(' > ')]
  const remarks = [
    ...(cause === undefined ? [] : [CAUSES[cause]]),
    ...(why === undefined ? [] : [shortCode(why)]),
    ...(waiver === undefined ? [] : [`accepted by waiver ${shortCode(waiver)}`]),
  ]
  const cells = [
    severity,
    resource.map(shortCode).join('<br>'),
    shortCode(property),
    valueCell(before),
    valueCell(after),
  ]
  return `| ${[...cells, remarks.join('<br>')].join(' | ')} |`
}

function valueCell(values: ComparedDrift['before']): string {
  if (values === undefined) return ''
  return `want ${shortCode(formatValue(values.desired))}<br>found ${shortCode(formatValue(values.observed))}`
}
