import { countOf } from '../../../core/count-of.ts'
import { wrapLine } from '../../../core/columns.ts'
import type { PolicyResult, Run } from '../../../core/run.ts'
import { ANSWER_WORDS, answerOf, describeAnswer } from '../../words/answer.ts'
import { clip } from '../../words/clip.ts'
import { coverageOf, describeCoverage, skippedIn } from '../../words/coverage.ts'
import { foldCommand } from '../../words/fix-command.ts'
import { nameOf } from '../../words/finding.ts'
import { originOf } from '../../words/origin.ts'
import { type Priority, prioritiesOf } from '../../words/priorities.ts'
import type { Requirement } from '../../words/requirements.ts'
import { scoreOf } from '../../words/score.ts'
import { SEVERITY_TONES, type Tone } from '../../format.ts'
import { narrowed, type Page } from './page.ts'

/** How many scores of policies stand at the beginning; each policy has its own further down. */
const SCORES_SHOWN = 8

/** Of what an author or a program wrote, this much stands at the beginning; all of it is further down. */
const PROSE_CHARACTERS = 200
const OBSTACLE_CHARACTERS = 120

const ANSWER_TONES: Readonly<Record<keyof typeof ANSWER_WORDS, Tone>> = {
  compliant: 'good',
  'not-compliant': 'bad',
  undecided: 'warn',
}

/** What a report begins with: the answer, the scores with what they cover, and what to do first. */
export function overviewSections(
  run: Run,
  requirements: readonly Requirement[],
  page: Page,
): readonly (readonly string[])[] {
  const answer = answerOf(run, requirements)
  const word = page.paint(ANSWER_TONES[answer.kind], ANSWER_WORDS[answer.kind])
  const found = page.fit([`${word}: ${describeAnswer(answer, requirements)}`], 2)
  return [[...found, ...scoreLines(run, requirements, page)], priorityLines(run, requirements, page)]
}

function scoreLines(run: Run, requirements: readonly Requirement[], page: Page): readonly string[] {
  const scored = run.policies.map((policy) => {
    const own = requirements.filter((requirement) => requirement.policy === policy)
    return { policy, own, score: scoreOf(own) }
  })
  const shown =
    scored.length <= SCORES_SHOWN
      ? scored
      : scored
          .toSorted((left, right) => (left.score?.percent ?? 101) - (right.score?.percent ?? 101))
          .slice(0, SCORES_SHOWN)
  const lines = shown.map(({ policy, own, score }) => {
    const said = score === undefined ? 'no score' : page.paint('strong', `score ${score.percent} of 100`)
    const covered = describeCoverage(coverageOf(own, skippedIn([policy])), own)
    return `${page.escape(nameOfPolicy(policy, run))}: ${said}; ${covered}`
  })
  const others = scored.length - shown.length
  return page.fit(
    [...lines, ...(others === 0 ? [] : [`and ${countOf(others, 'policy', 'policies')} with no lower score`])],
    2,
  )
}

function nameOfPolicy(policy: PolicyResult, run: Run): string {
  return run.target.kind === 'merged' ? `${policy.id} on ${originOf(run, policy).target.hostname}` : policy.id
}

function priorityLines(run: Run, requirements: readonly Requirement[], page: Page): readonly string[] {
  const { first, others } = prioritiesOf(requirements)
  if (first.length === 0) return []
  const heading = first[0]?.requirement.standing === 'drifted' ? 'Fix these first' : 'Look at these first'
  const more = others === 0 ? [] : [`  and ${others} more, the worst first below`]
  return [
    page.paint('strong', heading),
    ...first.flatMap((priority, index) => priorityItem(run, { priority, number: index + 1 }, page)),
    ...page.fit(more, 4),
  ]
}

function priorityItem(
  run: Run,
  { priority, number }: { readonly priority: Priority; readonly number: number },
  page: Page,
): readonly string[] {
  const { requirement, title, command } = priority
  const { control, severity, origin } = requirement
  const { escape, paint } = page
  const name = nameOf(requirement)
  const named = control?.title === undefined ? escape(name) : `${escape(name)}  ${escape(title)}`
  const where = run.target.kind === 'merged' ? `  ${paint('dim', `on ${escape(origin.target.hostname)}`)}` : ''
  const indent = '     '
  const width = narrowed(page, indent.length)
  return [
    ...page.fit([`  ${number}  ${paint(SEVERITY_TONES[severity], severity)}  ${paint('strong', named)}${where}`], 5),
    ...hintsOf(priority).flatMap((hint) => wrapLine(indent + escape(hint), page.width, indent.length)),
    ...(command === undefined ? [] : foldCommand(command, width).map((line) => indent + paint('good', line))),
  ]
}

/** What to say beside the command: how its author mends it, or what was found; where there is no command, why. */
function hintsOf({ remediation, found, command, obstacle, requirement }: Priority): readonly string[] {
  const isDrift = requirement.standing === 'drifted'
  const isTold = requirement.control?.title !== undefined && command !== undefined
  const said = isDrift ? (remediation ?? (isTold ? undefined : found)) : found
  const blocking =
    command === undefined && isDrift && obstacle !== undefined
      ? [`no fix: ${shorten(obstacle, OBSTACLE_CHARACTERS)}`]
      : []
  return [...(said === undefined ? [] : [shorten(said, PROSE_CHARACTERS)]), ...blocking]
}

function shorten(text: string, characters: number): string {
  return clip(text.replaceAll(/\s+/g, ' '), characters)
}
