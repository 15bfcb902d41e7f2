import type { Run } from '../../../model/run.ts'
import { DRIFT_FATES } from '../../../model/baseline.ts'
import { dayOfTime } from '../../../model/calendar.ts'
import { countOf } from '../../../model/count-of.ts'
import { VERDICTS } from '../../../model/verdict.ts'
import { findingsOf, worstFirst } from '../../words/finding.ts'
import type { RenderOptions } from '../../format.ts'
import { fitMarkdown, type MarkdownSection } from '../../words/markdown-sections.ts'
import { failureSection, foldedSections, type MarkdownContext } from './findings.ts'
import { hostSections } from './hosts.ts'
import { baselineSections, controlSections, waiverSection } from './sections.ts'
import { escapeProse, inlineCode } from '../../words/markdown.ts'
import { matrixOf } from '../../words/matrix.ts'
import { type Requirement, requirementsOf } from '../../words/requirements.ts'
import { answerLine, prioritySection, scoreSection } from './overview.ts'
import { originOf } from '../../words/origin.ts'
import { findTrouble, remarksOf } from '../../words/run-remarks.ts'
import { formatPosition } from '../../../model/format-problem.ts'
import { EXIT } from '../../../model/gate.ts'
import { hostNameOf, ownNameOf } from '../../../model/host-name.ts'
import { clip } from '../../words/clip.ts'

/** GitHub's limit for a comment is 65,536 characters; the rest is for a preamble. */
const CHARACTERS = 64_000

const REASONS_SHOWN = 10
const REASON_CHARACTERS = 500

/**
 * Markdown for a comment on a pull request or a job summary: the answer, scores and priorities, then failures with both
 * values, and accepted drift folded below. Never longer than a comment. Text from the machine is escaped.
 */
export function render(run: Run, { verbose }: Pick<RenderOptions, 'verbose'>): string {
  const context: MarkdownContext = { isMerged: run.target.kind === 'merged', isVerbose: verbose }
  const findings = worstFirst(findingsOf(run))
  const controls = controlSections(run, context)
  const matrix = matrixOf(run)
  const requirements = requirementsOf(run)
  const failures = {
    ...failureSection(findings, context),
    ...(controls.unmet.rows.length > 0 && { atMost: CHARACTERS / 2 }),
  }
  const sections = [
    problemSection(run),
    ...(matrix === undefined ? [scoreSection(run, requirements, context)] : []),
    prioritySection(requirements, context),
    ...(matrix === undefined ? [] : hostSections(matrix)),
    // With a matrix, the findings of each host are left out, since they exceed a comment.
    ...(matrix === undefined || verbose ? [failures, controls.unmet] : []),
    waiverSection(run),
    ...foldedSections(findings, context),
    controls.others,
    ...baselineSections(run),
    noteSection(run),
  ]
  return fitMarkdown({ head: formatHead(run, requirements), sections, foot: formatFoot(run) }, CHARACTERS)
}

function formatHead(run: Run, requirements: readonly Requirement[]): string {
  const { summary, exit, baseline } = run
  const counts = VERDICTS.filter((verdict) => summary[verdict] > 0).map((verdict) => `${summary[verdict]} ${verdict}`)
  const total = countOf(summary.total, 'resource')
  const reasons = exit.reasons.slice(0, REASONS_SHOWN)
  return [
    `## driftgate: ${conclude(run)}`,
    '',
    ...(requirements.length === 0 ? [] : [answerLine(run, requirements), '']),
    summary.total === 0 ? '**Nothing was evaluated.**' : `**${total}**: ${counts.join(', ')}`,
    '',
    ...reasons.map((reason) => `- ${prose(reason)}`),
    ...(exit.reasons.length > reasons.length ? [`- and ${exit.reasons.length - reasons.length} more reasons`] : []),
    ...(reasons.length > 0 ? [''] : []),
    ...(baseline === undefined ? [] : [describeBaseline(baseline), '']),
  ].join('\n')
}

const HEADLINES = {
  invalid: 'could not be performed',
  incomplete: 'not whole',
  interrupted: 'interrupted',
  'nothing-evaluated': 'nothing evaluated',
} as const

function conclude(run: Run): string {
  const trouble = findTrouble(run)
  const where = describeTarget(run)
  const exit = `exit ${run.exit.code}`
  if (trouble === undefined) return `${run.exit.code === EXIT.ok ? 'passed' : 'failed'} on ${where}, ${exit}`
  return `${HEADLINES[trouble.kind]} on ${where}, ${exit}`
}

function describeTarget(run: Run): string {
  if (run.target.kind !== 'merged') {
    const names = [hostNameOf(run.target), ownNameOf(run.target) ?? []].flat()
    const [name, own] = names.map((text) => inlineCode(clip(text, REASON_CHARACTERS)))
    return own === undefined ? `${name}` : `${name} (${own})`
  }
  const hosts = new Set(run.policies.map((policy) => hostNameOf(originOf(run, policy).target)))
  return countOf(hosts.size, 'machine')
}

function describeBaseline({ startedAt, counts }: NonNullable<Run['baseline']>): string {
  const words = DRIFT_FATES.map((word) => `${counts[word]} ${word}`)
  return `Drift compared with the baseline of ${prose(dayOfTime(startedAt))}: ${words.join(', ')}.`
}

/** Problems with the input of the scan. */
function problemSection(run: Run): MarkdownSection {
  // The headline already contains the first one if it concerns the whole run.
  const rows = remarksOf(run)
    .slice(findTrouble(run) === undefined ? 0 : 1)
    .map(({ level, text, position }) => {
      const place = position === undefined ? '' : ` ${inlineCode(clip(formatPosition(position), REASON_CHARACTERS))}`
      return `- ${level}:${place} ${prose(text)}`
    })
  return { name: 'Problems', before: ['### Problems', ''], rows, after: [] }
}

function noteSection({ notes = [] }: Run): MarkdownSection {
  return { name: 'Notes', before: ['### Notes', ''], rows: notes.map((note) => `- ${prose(note)}`), after: [] }
}

function formatFoot({ tool, run }: Run): string {
  const id = inlineCode(clip(run.id, REASON_CHARACTERS))
  return `<sub>driftgate ${prose(tool.version)}, ${run.mode} ${id}, ${prose(run.startedAt)}</sub>\n`
}

function prose(text: string): string {
  return escapeProse(clip(text, REASON_CHARACTERS))
}
