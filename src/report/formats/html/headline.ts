import { EXIT } from '../../../model/gate.ts'
import { problemLines } from '../../../model/format-problem.ts'
import { hostNameOf, ownNameOf } from '../../../model/host-name.ts'
import type { Run } from '../../../model/run.ts'
import { isKnown } from '../../../model/known.ts'
import { scores } from './first.ts'
import { linesOf, type Markup, markup, type Part } from '../../words/markup.ts'
import type { View } from './view.ts'
import { countOf, countVerdicts, formatCount, formatDuration, formatTime } from './words.ts'
import { type Answer, ANSWER_WORDS, answerOf, describeAnswer, placeOfAnswer } from '../../words/answer.ts'
import { rowsOf } from '../../words/matrix.ts'
import { findTrouble } from '../../words/run-remarks.ts'

/** Target, time and mode of the scan. */
export function headline(view: View): Markup {
  const { run, target, tool } = view.run
  const system = `${target.os.id} ${target.os.version}`.trim()
  const own = ownNameOf(target)
  const runs = new Set(view.groups.flatMap(({ origins }) => origins.map(({ runId }) => runId))).size
  const which = target.kind === 'merged' ? countOf(runs, 'run') : `run ${run.id}`
  return markup`<header class="top">
<p class="brand">driftgate <span>${tool.version}</span></p>
<h1>${titleOf(view)}</h1>
<p class="about">${own !== undefined && markup`<span>${own}</span> `}${system !== '' && markup`<span>${system}</span> `}<time datetime="${run.startedAt}">${formatTime(run.startedAt)}</time> <span>${formatDuration(run.durationMs)}</span> <span class="place">${which}</span></p>
</header>
`
}

export function titleOf({ run, hosts }: View): string {
  const kind = run.run.mode === 'fix' ? 'Fix' : 'Audit'
  const [only = hostNameOf(run.target)] = hosts
  return hosts.length > 1 ? `${kind} of ${hosts.length} machines` : `${kind} of ${only}`
}

interface Meaning {
  readonly tone: 'good' | 'warn' | 'bad'
  readonly title: string
  readonly sentence: string
}

const MEANINGS: ReadonlyMap<number, Meaning> = new Map([
  [EXIT.ok, { tone: 'good', title: 'Passed', sentence: 'No result fails the gate.' }],
  [
    EXIT.notPerformed,
    { tone: 'bad', title: 'Not performed', sentence: 'The scan did not run, so nothing was checked.' },
  ],
  [EXIT.drift, { tone: 'bad', title: 'Drift', sentence: 'The host differs from the policies.' }],
  [
    EXIT.undecided,
    { tone: 'warn', title: 'Unknown', sentence: 'Some results are unknown, so compliance is not proved.' },
  ],
  [EXIT.fixFailed, { tone: 'bad', title: 'Fix failed', sentence: 'Some drift could not be fixed.' }],
  [EXIT.nothingEvaluated, { tone: 'bad', title: 'Nothing evaluated', sentence: 'The scan evaluated nothing.' }],
  ...[EXIT.interrupted, EXIT.terminated].map((code): [number, Meaning] => [
    code,
    { tone: 'bad', title: 'Interrupted', sentence: 'The scan was interrupted: some resources are missing.' },
  ]),
])

/** Exit codes whose title already says why the run proves nothing. */
const EXPLAINED: ReadonlySet<number> = new Set([
  EXIT.notPerformed,
  EXIT.nothingEvaluated,
  EXIT.interrupted,
  EXIT.terminated,
])

/** The result of the run: answer, drift, the exit code with its reasons, and trouble. */
export function outcome(view: View): Markup {
  const { run, matrix } = view
  // A requirement of several machines counts once, with its worst standing.
  const requirements = matrix === undefined ? view.requirements : rowsOf(matrix).map(({ worst }) => worst)
  const { code, reasons } = run.exit
  const found: Meaning = MEANINGS.get(code) ?? { tone: 'bad', title: `Exit ${code}`, sentence: '' }
  const trouble = EXPLAINED.has(code) ? undefined : findTrouble(run)
  const answer = answerOf(run, requirements)
  const place = matrix === undefined ? '' : placeOfAnswer(answer, matrix.hosts.length, 'machines')
  const tone = trouble === undefined && answer.kind !== 'not-compliant' ? found.tone : 'bad'
  return markup`<section class="outcome-panel" data-tone="${tone}" aria-labelledby="outcome-title">
<h2 id="outcome-title">${titleOfAnswer(answer, code, found)} <span class="code">exit ${code}</span></h2>
<p class="answer">${requirements.length > 0 && sentence(describeAnswer(answer, requirements) + place)}</p>
${severityCounts(answer)}${scores(view)}<p class="gate">${found.sentence}</p>
${trouble !== undefined && markup`<p class="caution">${trouble.lines[0]}</p>`}
${reasons.length > 0 && markup`<ul class="reasons">${reasons.map((reason) => markup`<li>${reason}</li>`)}</ul>`}
</section>
`
}

/** The exit code prevails over the answer "compliant". */
function titleOfAnswer(answer: Answer, code: number, found: Meaning): string {
  const isExplained = EXPLAINED.has(code) || (answer.kind === 'compliant' && code !== EXIT.ok)
  return isExplained ? found.title : ANSWER_WORDS[answer.kind]
}

/** Number of drifted requirements by severity, one tile each. */
function severityCounts({ drifted }: Answer): Markup {
  if (drifted.length === 0) return markup``
  const items = drifted.map(
    ({ severity, count }) => markup`<li data-s="${severity}"><b>${formatCount(count)}</b> ${severity}</li>`,
  )
  return markup`<ul class="severities" aria-label="Drifted, by severity">${items}</ul>
`
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`
}

/** Number of resources by verdict. A script turns the tiles into filter buttons. */
export function tiles({ results }: View): Markup {
  if (results.length === 0) return markup``
  const known = results.filter(isKnown).length
  const counts = countVerdicts(results)
  const bars = counts.reduce<{ x: number; parts: Markup[] }>(
    ({ x, parts }, [verdict, count]) => ({
      x: x + count,
      parts: [...parts, markup`<rect data-v="${verdict}" x="${x}" y="0" width="${count}" height="1"/>`],
    }),
    { x: 0, parts: [] },
  ).parts
  return markup`<section class="summary" aria-label="Verdicts">
<svg class="share" width="480" height="10" fill="gray" viewBox="0 0 ${results.length} 1" preserveAspectRatio="none" aria-hidden="true">${bars}</svg>
<ul class="tiles">
<li><span class="tile" data-v=""><b>${formatCount(results.length)}</b> ${results.length === 1 ? 'resource' : 'resources'}</span></li>
${counts.map(([verdict, count]) => markup`<li><span class="tile" data-v="${verdict}"><b>${formatCount(count)}</b> ${verdict}${verdict === 'drifted' && known > 0 && markup` <small>${known} known</small>`}</span></li>`)}
</ul></section>
`
}

/** Problems with the input of the scan, with their source lines, and notes. */
export function remarks({ run }: View): Markup {
  const { problems = [], notes = [] } = run
  const errors = problems.filter(({ severity }) => severity === 'error')
  const warnings = problems.filter(({ severity }) => severity === 'warning')
  return markup`${problemSection('problems', 'bad', [countOf(errors.length, 'problem'), errors])}${problemSection(
    'warnings',
    'warn',
    [countOf(warnings.length, 'warning'), warnings],
  )}${
    notes.length > 0 &&
    markup`<section id="notes" aria-labelledby="notes-title"><h2 id="notes-title">Notes</h2><ul>${notes.map((note) => markup`<li>${linesOf(note)}</li>`)}</ul></section>
`
  }`
}

type Problems = NonNullable<Run['problems']>

function problemSection(id: string, tone: string, [title, problems]: readonly [string, Problems]): Part {
  if (problems.length === 0) return undefined
  const items = problems.map(
    (problem) => markup`<li><pre tabindex="0"><code>${linesOf(problemLines(problem).join('\n'))}</code></pre></li>\n`,
  )
  return markup`<section class="problems" id="${id}" data-tone="${tone}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
<ul>${items}</ul>
</section>
`
}
