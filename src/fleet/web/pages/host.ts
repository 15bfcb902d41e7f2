import { spanWords } from '../../../model/span-words.ts'
import type { FleetHost } from '../../census.ts'
import type { RunMark } from '../../traces.ts'
import { type Markup, markup, type Part } from '../../../report/words/markup.ts'
import { isOpen } from '../../../report/words/requirements.ts'
import { type PageRequest, isRefusal, type Page, refusal, type Refusal } from '../answer.ts'
import { findingTable, machinesSection, restSection, unknownSection } from '../findings.ts'
import {
  renderAge,
  answerLabel,
  digest,
  renderFacts,
  groupDigits,
  paging,
  presenceLabel,
  section,
  table,
  timeWords,
} from '../pieces.ts'
import { partOf, strangerIn } from '../query.ts'
import { labelsOf } from '../rows.ts'
import { trendSection } from '../trend.ts'
import { saidSection } from '../said.ts'

/** The host named by the query. */
export function hostAskedFor(hosts: readonly FleetHost[], params: URLSearchParams): FleetHost | Refusal {
  const stranger = strangerIn(params, ['name'])
  if (stranger !== undefined) return stranger
  return hosts.find(({ name }) => name === params.get('name')) ?? refusal(404, 'no host of this fleet has this name')
}

/** Page of a host: drift first, then unknown requirements by cause, the rest, and its last runs. */
export function hostPage({ view, params }: PageRequest): Page | Refusal {
  const host = hostAskedFor(view.hosts, params)
  if (isRefusal(host)) return host
  const drifted = host.findings.filter(({ standing }) => standing === 'drifted')
  const unknown = host.findings.filter(({ standing }) => standing === 'undecided')
  const rest = host.findings.filter((finding) => !isOpen(finding))
  const part = partOf(drifted, params)
  if (isRefusal(part)) return part
  const { nowMs } = view
  const { name, trouble, machines, runs, sender } = host
  const fixes =
    drifted.length === 0
      ? markup`<p class="nothing">${nothingDrifts(host, unknown.length)}</p>`
      : findingTable('Drift, worst first', part.members, nowMs)
  return {
    title: name,
    content: markup`<h1>${name} ${answerLabel(host)}</h1>
${trouble !== undefined && markup`<p class="lead caution">State unknown: ${trouble}. What follows is from its last report.</p>`}
${machinesSection(machines, nowMs)}${section('fix', markup`Fix first <span class="count">${groupDigits(drifted.length)} drifted</span>`, fixes)}${paging('/host', params, part)}${unknownSection(unknown)}${restSection(rest, nowMs)}
${factsOf(host, nowMs)}
${trendSection(view.trends.ofHost(name, nowMs), 'findings')}${
      runs.length > 0 &&
      section(
        'history',
        markup`History <span class="count">${runs.length === 1 ? 'one run' : `last ${groupDigits(runs.length)} runs`}</span>`,
        markup`${renderBars(runs)}<details class="rest" id="runs"><summary>Runs</summary>
${runTable(runs, nowMs)}</details>`,
      )
    }${sender !== undefined && saidSection(sender, nowMs)}`,
  }
}

function nothingDrifts({ policies }: FleetHost, unknown: number): string {
  if (policies.length === 0) return 'It has reported no policy.'
  return unknown > 0 ? 'No known drift.' : 'Every applicable control is compliant.'
}

function factsOf(host: FleetHost, nowMs: number): Markup {
  const { presence, heardAtMs, intervalMs, labels, isListed, policies } = host
  const rows: readonly (readonly [string, Part])[] = [
    ['Presence', presenceLabel(presence)],
    ['Last report', renderAge(heardAtMs, nowMs, ' ago')],
    ['Reports every', spanWords(intervalMs)],
    ['Roster', isListed ? (labelsOf(labels) ?? 'listed') : 'not listed'],
    ...policies.map((policy) => {
      const { id, sha256, evaluatedAtMs, isWhole } = policy
      const partly = isWhole ? '' : ', never all of it'
      return [
        'Policy',
        markup`${id} ${digest(sha256)} <small>looked at ${renderAge(evaluatedAtMs, nowMs, ' ago')}${partly}</small>`,
      ] as const
    }),
  ]
  return renderFacts(rows)
}

/** Bar chart of the open findings per run, oldest first. */
function renderBars(newestFirst: readonly RunMark[]): Markup | undefined {
  const runs = newestFirst.toReversed()
  const highest = Math.max(...runs.map(({ drifted, undecided }) => drifted + undecided))
  if (runs.length < 2 || highest === 0) return undefined
  const heightOf = (count: number): number => Math.round((count / highest) * 40 * 100) / 100
  const columns = runs.map(({ drifted, undecided, atMs }, index) => {
    const [bad, doubtful] = [heightOf(drifted), heightOf(undecided)]
    return markup`<g><title>${timeWords(atMs)}: ${drifted} drifted, ${undecided} unknown</title>
<rect data-tone="warn" x="${index * 10}" y="${40 - bad - doubtful}" width="8" height="${doubtful}"/>
<rect data-tone="bad" x="${index * 10}" y="${40 - bad}" width="8" height="${bad}"/></g>
`
  })
  return markup`<svg class="bars" viewBox="0 0 ${runs.length * 10} 40" preserveAspectRatio="xMinYMax meet" role="img" aria-label="Drifted and unknown in the last ${runs.length} runs, at most ${highest}">${columns}</svg>
`
}

function runTable(runs: readonly RunMark[], nowMs: number): Markup {
  return table(
    'Its last runs, the newest first',
    [
      {
        label: 'When',
        kind: 'name',
        cell: ({ atMs }) => markup`${timeWords(atMs)} <small>${renderAge(atMs, nowMs, ' ago')}</small>`,
      },
      { label: 'Drifted', kind: 'number', cell: ({ drifted }) => groupDigits(drifted) },
      { label: 'Unknown', kind: 'number', cell: ({ undecided }) => groupDigits(undecided) },
      { label: 'Evaluated', kind: 'number', cell: ({ asked }) => groupDigits(asked) },
      { label: 'Run', cell: ({ runId }) => markup`<code title="${runId}">${runId.slice(0, 8)}</code>` },
      { label: 'Remark', cell: remarkOf },
    ],
    runs,
  )
}

function remarkOf({ isPerformed, isPartial }: RunMark): string {
  if (!isPerformed) return 'could not be performed'
  return isPartial ? 'looked at a part' : ''
}
