import { countOf } from '../../../model/count-of.ts'
import { wrapLine } from '../../../model/columns.ts'
import { hostNameOf } from '../../../model/host-name.ts'
import type { PolicyResult, Run } from '../../../model/run.ts'
import { ANSWER_WORDS, answerOf, describeAnswer, placeOfAnswer } from '../../words/answer.ts'
import { clip } from '../../words/clip.ts'
import { coverageOf, describeCoverage, skippedIn } from '../../words/coverage.ts'
import { foldCommand } from '../../words/fix-command.ts'
import { namesOf } from '../../words/host-names.ts'
import { hostsWhereWrong, type Matrix, rowsOf } from '../../words/matrix.ts'
import { nameOf } from '../../words/finding.ts'
import { originOf } from '../../words/origin.ts'
import { prioritiesOf, type Priority } from '../../words/priorities.ts'
import { nounOf, type Requirement } from '../../words/requirements.ts'
import { scoreOf } from '../../words/score.ts'
import { SEVERITY_TONES, type Tone } from '../../format.ts'
import { narrowWidth, type Page } from './page.ts'
import { type UnknownCause, unknownCauses } from '../../words/unknowns.ts'

/** Maximum number of causes, unless verbose. */
const CAUSES_SHOWN = 6

/** Maximum length of a cause; the details have all of it. */
const CAUSE_CHARACTERS = 160

/** Maximum number of scores in the overview; each policy also has its own. */
const SCORES_SHOWN = 8

/** Maximum length of texts by authors and programs in the overview; the details have all of them. */
const PROSE_CHARACTERS = 200
const OBSTACLE_CHARACTERS = 120

const ANSWER_TONES: Readonly<Record<keyof typeof ANSWER_WORDS, Tone>> = {
  compliant: 'good',
  'not-compliant': 'bad',
  undecided: 'warn',
}

/** The subject of the overview: all requirements, and the matrix of several hosts. */
interface OverviewSubject {
  readonly requirements: readonly Requirement[]
  readonly matrix: Matrix | undefined
}

/** The overview: the answer, the scores with their coverage, the priorities, and the causes of unknown results. */
export function overviewSections(run: Run, asked: OverviewSubject, page: Page): readonly (readonly string[])[] {
  const { requirements, matrix } = asked
  // A requirement of several hosts counts once, with its worst standing.
  const distinct = matrix === undefined ? requirements : rowsOf(matrix).map(({ worst }) => worst)
  const answer = answerOf(run, distinct)
  const word = page.paint(ANSWER_TONES[answer.kind], ANSWER_WORDS[answer.kind])
  const place = matrix === undefined ? '' : placeOfAnswer(answer, matrix.hosts.length, 'hosts')
  const found = page.fit([`${word}: ${describeAnswer(answer, distinct)}${place}`], 2)
  const unknown = matrix === undefined ? unknownLines(requirements, page) : []
  return [[...found, ...scoreLines(run, asked, page)], priorityLines(distinct, matrix, page), unknown]
}

function scoreLines(run: Run, { requirements, matrix }: OverviewSubject, page: Page): readonly string[] {
  const groups = matrix === undefined ? run.policies.map((policy) => [policy]) : byId(run.policies)
  const scored = groups.map((policies) => {
    const own = requirements.filter(({ policy }) => policies.includes(policy))
    return { policies, own, score: scoreOf(own) }
  })
  const shown =
    scored.length <= SCORES_SHOWN
      ? scored
      : scored.toSorted((left, right) => (left.score ?? 101) - (right.score ?? 101)).slice(0, SCORES_SHOWN)
  const lines = shown.map(({ policies, own, score }) => {
    const said = score === undefined ? 'no score' : page.paint('strong', `score ${score} of 100`)
    const covered = describeCoverage(coverageOf(own, skippedIn(policies)), own)
    return `${page.escape(nameOfPolicies(policies, run))}: ${said}; ${covered}`
  })
  const others = scored.length - shown.length
  return page.fit(
    [...lines, ...(others === 0 ? [] : [`and ${countOf(others, 'policy', 'policies')} with no lower score`])],
    2,
  )
}

/** Policies grouped by id, over several hosts. */
function byId(policies: readonly PolicyResult[]): readonly (readonly PolicyResult[])[] {
  const ids = [...new Set(policies.map(({ id }) => id))]
  return ids.map((id) => policies.filter((policy) => policy.id === id))
}

function nameOfPolicies(policies: readonly PolicyResult[], run: Run): string {
  const hosts = [...new Set(policies.map((policy) => hostNameOf(originOf(run, policy).target)))]
  const [name = ''] = policies.map(({ id }) => id)
  if (run.target.kind !== 'merged') return name
  return `${name} on ${hosts.length === 1 ? hosts.join() : countOf(hosts.length, 'host')}`
}

function priorityLines(
  requirements: readonly Requirement[],
  matrix: Matrix | undefined,
  page: Page,
): readonly string[] {
  const { first, others } = prioritiesOf(requirements)
  if (first.length === 0) return []
  const heading = first[0]?.requirement.standing === 'drifted' ? 'Fix these first' : 'Review these first'
  const more = others === 0 ? [] : [`  ${others} more below, worst first`]
  return [
    page.paint('strong', heading),
    ...first.flatMap((priority, index) => priorityItem({ priority, number: index + 1, matrix }, page)),
    ...page.fit(more, 4),
  ]
}

interface Item {
  readonly priority: Priority
  readonly number: number
  readonly matrix: Matrix | undefined
}

function priorityItem({ priority, number, matrix }: Item, page: Page): readonly string[] {
  const { requirement, title, command } = priority
  const { control, severity } = requirement
  const { escape, paint } = page
  const name = nameOf(requirement)
  const named = control?.title === undefined ? escape(name) : `${escape(name)}  ${escape(title)}`
  const hosts = matrix === undefined ? [] : hostsWhereWrong(requirement, matrix)
  const where = matrix === undefined ? '' : `  ${paint('dim', `on ${namesOf(hosts, matrix.hosts.length, escape)}`)}`
  const indent = '     '
  const width = narrowWidth(page, indent.length)
  return [
    ...page.fit([`  ${number}  ${paint(SEVERITY_TONES[severity], severity)}  ${paint('strong', named)}${where}`], 5),
    ...hintsOf(priority).flatMap((hint) => wrapLine(indent + escape(hint), page.width, indent.length)),
    ...(command === undefined ? [] : foldCommand(command, width).map((line) => indent + paint('good', line))),
  ]
}

/** Hints beside the command: the remediation, or the finding; without a command, the obstacle. */
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

/** The undecided requirements by cause, each with one line of advice. */
function unknownLines(requirements: readonly Requirement[], page: Page): readonly string[] {
  const causes = unknownCauses(requirements)
  if (causes.length === 0) return []
  const shown = page.verbose ? causes : causes.slice(0, CAUSES_SHOWN)
  const others = causes.slice(shown.length).flatMap((cause) => cause.requirements)
  const more =
    others.length === 0 ? [] : [`  ${countOf(others.length, `more ${nounOf(others)}`)} of other causes, see --verbose`]
  return [page.paint('strong', 'Unknown'), ...shown.flatMap((cause) => causeLines(cause, page)), ...page.fit(more, 4)]
}

function causeLines({ requirements, cause, advice, command }: UnknownCause, page: Page): readonly string[] {
  const { escape, paint } = page
  const indent = '     '
  const count = paint('warn', countOf(requirements.length, nounOf(requirements)))
  const text = escape(clip(cause.replaceAll(/\s+/g, ' '), CAUSE_CHARACTERS))
  const folded = command === undefined ? [] : foldCommand(command, narrowWidth(page, indent.length))
  return [
    ...page.fit([`  ${count}: ${text}`], 5),
    ...wrapLine(indent + advice, page.width, indent.length),
    ...folded.map((line) => indent + paint('good', line)),
  ]
}
