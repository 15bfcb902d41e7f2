import { formatPosition } from '../../../model/format-problem.ts'
import { formatDrift } from '../../../model/format-value.ts'
import type { HealthResult, ResourceResult } from '../../../model/run.ts'
import type { WaiverUse } from '../../../model/waiver.ts'
import { namesOf } from '../../words/host-names.ts'
import { describeCircumstances, effectWords } from '../../words/describe.ts'
import { CHANNEL, driftTable, keyOf } from './drift-table.ts'
import { isKnown } from '../../../model/known.ts'
import { linesOf, type Markup, markup, type Part, trustHtml } from '../../words/markup.ts'
import { badge, renderFacts, joinParts, linkIfAddress, linkTo } from './pieces.ts'
import type { Entry, Group } from './view.ts'
import { countOf, formatDuration } from './words.ts'

/** Whether one line is sufficient: compliant or not applicable, without details. */
export function isBrief({
  verdict,
  drift,
  actions,
  warnings = [],
  unknown = [],
  errors = [],
  ...more
}: ResourceResult): boolean {
  const isQuiet = verdict === 'compliant' || verdict === 'not-applicable'
  const { health = [], waivers = [] } = more
  return isQuiet && [drift, actions, warnings, unknown, errors, health, waivers].every(({ length }) => length === 0)
}

/** A resource in one line of a list. */
export function briefEntry(entry: Entry, { attributes, hosts }: Omit<Folding, 'open'>): Markup {
  const { result } = entry
  const { machines } = entry
  const on =
    machines.length < hosts.length &&
    machines.length > 0 &&
    namesOf(
      machines.map((machine) => hosts[machine] ?? ''),
      hosts.length,
      (name) => name,
    )
  const said = result.message === undefined ? undefined : markup` <span class="said">${result.message}</span>`
  return markup`<li class="entry" id="${entry.anchor}"${attributes}>${nameOf(result)}${said}${on !== false && markup` <span class="dim">${on}</span>`} <span class="place">${placeOf(result)}</span></li>\n`
}

/** A resource with all details, folded. */
export function fullEntry(entry: Entry, group: Group, { attributes, hosts, open }: Folding): Markup {
  const { result, anchor } = entry
  return markup`<details class="entry" id="${anchor}"${attributes}${open && markup` open=""`}>
<summary><span class="verdict">${result.verdict}</span> <span class="severity">${result.severity}</span> <span class="what">${nameOf(result)}${badgesOf(result)}<span class="said">${headlineOf(result)}</span></span>${entry.machines.length > 0 && markup` <span class="extent">${extentOf(entry, hosts)}</span>`}</summary>
<div class="body">${driftTable(result)}${renderFacts([
    ...resourceFacts(result),
    ...healthRows(result.health ?? []),
    ...waiverRows(result.waivers ?? []),
    ['blocked by', blockers(result, group)],
    ['controls', controlsOf(result, group)],
    ['machines', entry.machines.length > 1 && machinesOf(entry, hosts)],
  ])}${metaOf(entry)}</div>
</details>\n`
}

/** The names of the machines with exactly this result; undefined if the page has a single machine. */
function machinesOf({ machines }: Entry, hosts: readonly string[]): string | undefined {
  const names = machines.map((machine) => hosts[machine] ?? '')
  if (names.length === 0) return undefined
  return names.length === hosts.length ? `all ${hosts.length}` : names.join(', ')
}

interface Folding {
  readonly attributes: Markup
  /** The names of all machines of the page. */
  readonly hosts: readonly string[]
  readonly open: boolean
}

function nameOf({ path = [], id }: ResourceResult): Markup {
  const parents = path.map((parent) => [parent, ' › '])
  return markup`<code class="id">${path.length > 0 && markup`<span class="parents">${parents}</span>`}${id}</code>`
}

function placeOf({ source }: ResourceResult): string {
  return `${source.file}:${source.line}`
}

/** The source of the result in one line; results of several machines share only the position. */
function metaOf({ result, anchor, machines }: Entry): Markup {
  const { type, provider, tags = [], source, durationMs } = result
  const place = markup`<span class="place">${formatPosition(source)}</span>`
  if (machines.length > 0) return markup`<p class="meta">${place}</p>`
  return markup`<p class="meta">${place}${
    provider !== undefined && markup` <span>${type}, ${provider}</span>`
  }${tags.length > 0 && markup` <span>tags ${tags.join(', ')}</span>`} <span>${formatDuration(durationMs)}</span> <a class="self" href="#${anchor}">link to this resource</a></p>`
}

/** The name of the machine, or the number of machines. */
function extentOf({ machines }: Entry, hosts: readonly string[]): string {
  const [only = 0] = machines
  return machines.length === 1 ? (hosts[only] ?? '') : `${machines.length} machines`
}

function badgesOf(result: ResourceResult): readonly Part[] {
  const { drift, waivers = [] } = result
  const fresh = drift.some(({ baseline }) => baseline === 'new')
  const changed = drift.some(({ baseline }) => baseline === 'changed')
  return [
    isKnown(result) && [' ', badge('quiet', 'known')],
    fresh && [' ', badge('new', 'new')],
    changed && [' ', badge('new', 'changed')],
    waivers.some(({ state }) => state === 'expired') && [' ', badge('bad', 'waiver expired')],
    waivers.some(({ state }) => state === 'lapsed') && [' ', badge('bad', 'waiver lapsed')],
  ]
}

function headlineOf(result: ResourceResult): string {
  const { verdict, message, drift } = result
  const effects = effectWords(result)
  const [first, ...others] = drift
  if (verdict === 'waived' && message !== undefined) return message
  if (verdict === 'fixed' && effects.length > 0) return effects.join('. ')
  if (first !== undefined)
    return others.length === 0 ? formatDrift(first) : `${formatDrift(first)}, and ${others.length} more`
  return message ?? effects[0] ?? ''
}

/** Rows of the text reports that are links or badges here. */
const SHOWN_APART: ReadonlySet<string> = new Set(['blocked by', 'baseline'])

/** The rows of the text reports without those in the drift table or in links. */
function resourceFacts(result: ResourceResult): readonly (readonly [string, Part])[] {
  const tabled = new Set(result.drift.map(keyOf))
  const remaining = (result.remaining ?? []).filter((drift) => !tabled.has(keyOf(drift)))
  const isWaived = result.verdict === 'waived' && (result.waivers ?? []).length > 0
  const rows = describeCircumstances({ ...result, remaining }, CHANNEL).filter(
    ({ label }) => !SHOWN_APART.has(label) && !(isWaived && label === 'reason'),
  )
  const isSaid =
    rows.some(({ label }) => ['error', 'blocked', 'drift', 'reason'].includes(label)) || result.drift.length > 0
  const message = isSaid || result.message === undefined ? [] : [['says', linesOf(result.message)] as const]
  return [...message, ...rows.map(({ label, lines }) => [label, rowContent(label, lines)] as const)]
}

function rowContent(label: string, lines: readonly string[]): Markup {
  const html = trustHtml(lines.join('\n'))
  return label === 'output' ? markup`<pre tabindex="0"><code>${html}</code></pre>` : html
}

function blockers({ blockedBy = [], path = [] }: ResourceResult, group: Group): Part {
  if (blockedBy.length === 0) return undefined
  return joinParts(
    blockedBy.map((id) => linkTo(group.findResource(path, id), markup`<code>${id}</code>`)),
    ', ',
  )
}

function controlsOf({ controls, path = [] }: ResourceResult, group: Group): Part {
  if (controls.length === 0) return undefined
  return joinParts(
    controls.map((id) => linkTo(group.findControl(path, id), id)),
    ', ',
  )
}

function healthRows(results: readonly HealthResult[]): readonly (readonly [string, Part])[] {
  return results.map(({ name, status, attempts }) => {
    const last = attempts.at(-1)
    const tries = attempts.length > 1 ? `, ${countOf(attempts.length, 'attempt')}` : ''
    const said = last === undefined || last.output === '' ? undefined : markup`\n${linesOf(last.output)}`
    return ['health', markup`<b class="health" data-h="${status}">${status}</b> ${name}${tries}${said}`]
  })
}

const WAIVER_STATES: Readonly<Record<WaiverUse['state'], string>> = {
  'in-force': 'accepted until',
  expired: 'expired on',
  lapsed: 'lapsed, the value changed; until',
}

function waiverRows(waivers: readonly WaiverUse[]): readonly (readonly [string, Part])[] {
  return waivers.map(({ id, state, expires, approver, reason, ticket, covers }) => {
    const about = covers.length === 0 ? '' : ` (${covers.join(', ')})`
    const reference = ticket === undefined ? undefined : markup`, ${linkIfAddress(ticket)}`
    return [
      'waiver',
      markup`<b>${id}</b>${about}: ${WAIVER_STATES[state]} ${expires}, approved by ${approver}${reference}\n${linesOf(reason)}`,
    ]
  })
}
