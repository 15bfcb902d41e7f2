import { spanWords } from '../../core/span-words.ts'
import type { FleetHost } from '../../fleet/census.ts'
import type { FleetFinding } from '../../fleet/findings.ts'
import type { RunMark } from '../../fleet/traces.ts'
import { type Markup, markup, type Part } from '../../report/words/markup.ts'
import { type Asked, isRefusal, type Page, refusal, type Refusal } from '../answer.ts'
import {
  ago,
  answerLabel,
  controlLink,
  digest,
  facts,
  grouped,
  paging,
  presenceLabel,
  section,
  severityLabel,
  standingLabel,
  table,
  timeWords,
} from '../pieces.ts'
import { partOf, strangerIn } from '../query.ts'
import { labelsOf } from '../rows.ts'
import { saidSection } from '../said.ts'

/** The host that the address names. */
export function hostAskedFor(hosts: readonly FleetHost[], params: URLSearchParams): FleetHost | Refusal {
  const stranger = strangerIn(params, ['name'])
  if (stranger !== undefined) return stranger
  return hosts.find(({ name }) => name === params.get('name')) ?? refusal(404, 'no host of this fleet has this name')
}

/** One host: how it stands, what is not met there, and what its last runs found. */
export function hostPage({ view, params }: Asked): Page | Refusal {
  const host = hostAskedFor(view.hosts, params)
  if (isRefusal(host)) return host
  const part = partOf(host.findings, params)
  if (isRefusal(part)) return part
  const { nowMs } = view
  const { name, trouble, findings, runs, sender } = host
  return {
    title: name,
    content: markup`<h1>${name} ${answerLabel(host)}</h1>
${trouble !== undefined && markup`<p class="lead caution">Nobody knows how it stands: ${trouble}. What is below is what it said last.</p>`}
${factsOf(host, nowMs)}
${sender !== undefined && saidSection(sender, nowMs)}${section(
      'findings',
      markup`Not met <span class="count">${grouped(findings.length)}</span>`,
      findings.length === 0 ? markup`<p class="nothing">${nothingFound(host)}</p>` : findingTable(part.members, nowMs),
    )}${paging('/host', params, part)}${runs.length > 0 && section('history', markup`History <span class="count">${runs.length === 1 ? 'its only run' : `its last ${grouped(runs.length)} runs`}</span>`, markup`${bars(runs)}${runTable(runs, nowMs)}`)}`,
  }
}

function nothingFound({ policies }: FleetHost): string {
  return policies.length === 0 ? 'It has reported about no policy.' : 'Everything that concerns it is met.'
}

function factsOf(host: FleetHost, nowMs: number): Markup {
  const { presence, heardAtMs, intervalMs, labels, isListed, policies } = host
  const rows: readonly (readonly [string, Part])[] = [
    ['Presence', presenceLabel(presence)],
    ['Heard', ago(heardAtMs, nowMs, ' ago')],
    ['Reports every', spanWords(intervalMs)],
    ['Roster', isListed ? (labelsOf(labels) ?? 'listed') : 'not listed'],
    ...policies.map((policy) => {
      const { id, sha256, evaluatedAtMs, isWhole } = policy
      const partly = isWhole ? '' : ', never all of it'
      return [
        'Policy',
        markup`${id} ${digest(sha256)} <small>looked at ${ago(evaluatedAtMs, nowMs, ' ago')}${partly}</small>`,
      ] as const
    }),
  ]
  return facts(rows)
}

function findingTable(findings: readonly FleetFinding[], nowMs: number): Markup {
  return table(
    'What is not met, worst first',
    [
      {
        label: 'Control',
        kind: 'name',
        cell: (finding) =>
          markup`${controlLink(finding)}${finding.title !== undefined && markup`<small class="remark">${finding.title}</small>`}`,
      },
      { label: 'Stands', cell: ({ standing }) => standingLabel(standing) },
      { label: 'Severity', cell: ({ severity }) => severityLabel(severity) },
      { label: 'Policy', cell: ({ policy }) => policy },
      { label: 'For', cell: ({ sinceMs }) => ago(sinceMs, nowMs) },
    ],
    findings,
  )
}

/** How much was open in each run, the oldest first. */
function bars(newestFirst: readonly RunMark[]): Markup | undefined {
  const runs = newestFirst.toReversed()
  const highest = Math.max(...runs.map(({ drifted, undecided }) => drifted + undecided))
  if (runs.length < 2 || highest === 0) return undefined
  const heightOf = (count: number): number => Math.round((count / highest) * 40 * 100) / 100
  const columns = runs.map(({ drifted, undecided, atMs }, index) => {
    const [bad, doubtful] = [heightOf(drifted), heightOf(undecided)]
    return markup`<g><title>${timeWords(atMs)}: ${drifted} drifted, ${undecided} undecided</title>
<rect data-tone="warn" x="${index * 10}" y="${40 - bad - doubtful}" width="8" height="${doubtful}"/>
<rect data-tone="bad" x="${index * 10}" y="${40 - bad}" width="8" height="${bad}"/></g>
`
  })
  return markup`<svg class="bars" viewBox="0 0 ${runs.length * 10} 40" preserveAspectRatio="xMinYMax meet" role="img" aria-label="Drifted and undecided in the last ${runs.length} runs, at most ${highest}">${columns}</svg>
`
}

function runTable(runs: readonly RunMark[], nowMs: number): Markup {
  return table(
    'Its last runs, the newest first',
    [
      {
        label: 'When',
        kind: 'name',
        cell: ({ atMs }) => markup`${timeWords(atMs)} <small>${ago(atMs, nowMs, ' ago')}</small>`,
      },
      { label: 'Drifted', kind: 'number', cell: ({ drifted }) => grouped(drifted) },
      { label: 'Undecided', kind: 'number', cell: ({ undecided }) => grouped(undecided) },
      { label: 'Looked at', kind: 'number', cell: ({ asked }) => grouped(asked) },
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
