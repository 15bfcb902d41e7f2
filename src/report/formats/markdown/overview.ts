import { hostNameOf } from '../../../model/host-name.ts'
import type { Run } from '../../../model/run.ts'
import { ANSWER_WORDS, answerOf, describeAnswer } from '../../words/answer.ts'
import { clip } from '../../words/clip.ts'
import { aboutOf } from '../../words/controls.ts'
import { coverageOf, describeCoverage, skippedIn } from '../../words/coverage.ts'
import { nameOf } from '../../words/finding.ts'
import { escapeProse, inlineCode, shortCode } from '../../words/markdown.ts'
import type { MarkdownSection } from '../../words/markdown-sections.ts'
import { originOf } from '../../words/origin.ts'
import { type Priority, prioritiesOf } from '../../words/priorities.ts'
import type { Requirement } from '../../words/requirements.ts'
import { scoreOf } from '../../words/score.ts'
import type { MarkdownContext } from './findings.ts'

const TEXT_CHARACTERS = 500
const COMMAND_CHARACTERS = 1_000

export function answerLine(run: Run, requirements: readonly Requirement[]): string {
  const answer = answerOf(run, requirements)
  return `**${ANSWER_WORDS[answer.kind]}**: ${describeAnswer(answer, requirements)}`
}

/** Score and coverage of each policy. */
export function scoreSection(
  run: Run,
  requirements: readonly Requirement[],
  { isMerged }: MarkdownContext,
): MarkdownSection {
  const rows = run.policies.map((policy) => {
    const own = requirements.filter((requirement) => requirement.policy === policy)
    const score = scoreOf(own)
    const host = isMerged ? ` on ${shortCode(hostNameOf(originOf(run, policy).target))}` : ''
    const covered = describeCoverage(coverageOf(own, skippedIn([policy])), own)
    return `- ${shortCode(policy.id)}${host}: ${score === undefined ? 'no score' : `score **${score}** of 100`}; ${covered}`
  })
  return { name: 'Scores', before: [], rows, after: [] }
}

/** The priorities as a list with remediation and fix command. */
export function prioritySection(requirements: readonly Requirement[], context: MarkdownContext): MarkdownSection {
  const { first, others } = prioritiesOf(requirements)
  const heading = first[0]?.requirement.standing === 'drifted' ? 'Fix these first' : 'Review these first'
  const rows = first.map((priority, index) => item(priority, index + 1, context))
  return {
    name: heading,
    before: [`### ${heading}`, ''],
    rows,
    after: others === 0 ? [] : ['', `${others} more below, worst first.`],
  }
}

function item(
  { requirement, title, found, command, obstacle }: Priority,
  number: number,
  context: MarkdownContext,
): string {
  const { control, severity, origin } = requirement
  const name =
    control?.title === undefined ? shortCode(nameOf(requirement)) : `${shortCode(nameOf(requirement))} ${prose(title)}`
  const where = context.isMerged ? ` on ${shortCode(hostNameOf(origin.target))}` : ''
  const about = control === undefined ? [] : aboutOf(control)
  const lines = [
    prose(found),
    ...about.map(([label, text]) => `${label}: ${prose(text)}`),
    ...(command === undefined ? [] : [`fix: ${inlineCode(clip(command, COMMAND_CHARACTERS))}`]),
    ...(command === undefined && obstacle !== undefined ? [`no fix: ${prose(obstacle)}`] : []),
  ]
  return [`${number}. **${severity}** ${name}${where}`, ...lines.map((line) => `   - ${line}`)].join('\n')
}

function prose(text: string): string {
  return escapeProse(clip(text.replaceAll(/\s+/g, ' '), TEXT_CHARACTERS))
}
