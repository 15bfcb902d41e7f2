import { formatPosition } from '../../../model/format-problem.ts'
import { formatProperty, formatValue } from '../../../model/format-value.ts'
import type { ReportValue } from '../../../model/drift.ts'
import { hostNameOf } from '../../../model/host-name.ts'
import { type Finding, nameOf } from '../../words/finding.ts'
import { codeBlock, inlineCode, shortCode, shortProse } from '../../words/markdown.ts'
import { foldedSection, type MarkdownSection, tableHead } from '../../words/markdown-sections.ts'
import { isFailure } from '../../../model/verdict.ts'
import { clip } from '../../words/clip.ts'

export interface MarkdownContext {
  /** Whether there are several machines, so that each row names its own. */
  readonly isMerged: boolean
  /** Whether compliant resources are listed, too. */
  readonly isVerbose: boolean
}

const VALUE_CHARACTERS = 120
const DIFF_LINES = 60
const DIFF_LINE_CHARACTERS = 200

/** The failures as a visible table. */
export function failureSection(findings: readonly Finding[], context: MarkdownContext): MarkdownSection {
  return {
    name: 'Drift and failures',
    before: ['### Drift and failures', '', ...tableHead(VALUE_COLUMNS)],
    rows: findings.filter(({ state }) => isFailure(state)).map((finding) => tableRow(VALUE_COLUMNS, finding, context)),
    after: [],
  }
}

/** Folded sections: diffs of failures, and other findings (known, waived, fixed, others). */
export function foldedSections(findings: readonly Finding[], context: MarkdownContext): readonly MarkdownSection[] {
  const inState = (state: Finding['state']): readonly Finding[] => findings.filter((finding) => finding.state === state)
  const rest = findings.filter((finding) => isRest(finding, context))
  return [
    diffSection(
      findings.filter(({ state }) => isFailure(state)),
      context,
    ),
    fold('Known since the baseline', inState('known'), VALUE_COLUMNS, context),
    fold('Waived', inState('waived'), VALUE_COLUMNS, context),
    fold('Fixed', inState('fixed'), FIXED_COLUMNS, context),
    fold('Could not be read', inState('unread'), TEXT_COLUMNS, context),
    fold(context.isVerbose ? 'Everything else' : 'Not applicable, or with a note', rest, TEXT_COLUMNS, context),
  ]
}

/** Compliant resources are only counted, unless they have a message or `verbose` is set. */
function isRest({ state, text }: Finding, { isVerbose }: MarkdownContext): boolean {
  return state === 'not-applicable' || (state === 'compliant' && (isVerbose || text !== 'compliant'))
}

interface Column {
  readonly title: string
  readonly cell: (finding: Finding, context: MarkdownContext) => string
}

const VERDICT: Column = {
  title: 'Verdict',
  cell: ({ state, result, drift }) => {
    const badge = drift?.baseline === 'new' || drift?.baseline === 'changed' ? `, ${drift.baseline}` : ''
    return `${state}${badge}<br>${result.severity}`
  },
}

const RESOURCE: Column = {
  title: 'Resource',
  cell: ({ result, origin }, { isMerged }) => {
    const host = isMerged ? `${shortCode(hostNameOf(origin.target))}<br>` : ''
    return `${host}${shortCode(nameOf(result))}<br>${shortCode(formatPosition(result.source))}`
  },
}

const PROPERTY: Column = {
  title: 'Property',
  cell: ({ drift }) => (drift === undefined ? '' : shortCode(formatProperty(drift))),
}

const WANT: Column = { title: 'Want', cell: ({ drift }) => (drift === undefined ? '' : value(drift.desired)) }
const FOUND: Column = { title: 'Found', cell: ({ drift }) => (drift === undefined ? '' : value(drift.observed)) }
const REMARK: Column = { title: 'Remark', cell: ({ notes }) => shortProse(notes.join('; ')) }

const VALUE_COLUMNS: readonly Column[] = [VERDICT, RESOURCE, PROPERTY, WANT, FOUND, REMARK]
const FIXED_COLUMNS: readonly Column[] = [RESOURCE, PROPERTY, { ...FOUND, title: 'Was' }, { ...WANT, title: 'Is' }]
const TEXT_COLUMNS: readonly Column[] = [VERDICT, RESOURCE, REMARK]

function fold(
  name: string,
  findings: readonly Finding[],
  columns: readonly Column[],
  context: MarkdownContext,
): MarkdownSection {
  const rows = findings.map((finding) => tableRow(columns, finding, context))
  return foldedSection(name, tableHead(columns), rows)
}

function tableRow(columns: readonly Column[], finding: Finding, context: MarkdownContext): string {
  return `| ${columns.map(({ cell }) => cell(finding, context)).join(' | ')} |`
}

function diffSection(findings: readonly Finding[], context: MarkdownContext): MarkdownSection {
  const rows = findings.flatMap((finding) => {
    const { diff = '' } = finding.drift ?? {}
    if (diff === '') return []
    const lines = diff.replace(/\n$/, '').split('\n')
    const shown = lines.slice(0, DIFF_LINES).map((line) => clip(line, DIFF_LINE_CHARACTERS))
    const cut = lines.length > shown.length ? [`… ${lines.length - shown.length} more lines`] : []
    const title = `${RESOURCE.cell(finding, context)}<br>${PROPERTY.cell(finding, context)}`
    return [[title, '', ...codeBlock([...shown, ...cut], 'diff'), ''].join('\n')]
  })
  return { ...foldedSection('Differences of contents', [], rows), after: ['</details>'] }
}

function value(of: ReportValue): string {
  return inlineCode(clip(formatValue(of), VALUE_CHARACTERS))
}
