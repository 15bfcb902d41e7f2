import { defined } from '../../../model/defined.ts'
import { type FleetControl, hostCount } from '../../controls.ts'
import type { FleetFinding } from '../../findings.ts'
import type { Presence } from '../../presence.ts'
import { selectControls } from '../../select.ts'
import { SEVERITIES } from '../../../model/verdict.ts'
import { type Markup, markup, type Part } from '../../../report/words/markup.ts'
import { STANDINGS } from '../../../report/words/requirements.ts'
import { type PageRequest, isRefusal, type Page, type Refusal } from '../answer.ts'
import {
  renderAge,
  renderFacts,
  groupDigits,
  hostLink,
  manyOf,
  paging,
  presenceLabel,
  section,
  severityLabel,
  standingLabel,
  table,
} from '../pieces.ts'
import { allValues, parseWords, partOf, strangerIn } from '../query.ts'
import { trendSection } from '../trend.ts'
import { controlTable } from '../rows.ts'

const FILTERS = ['control', 'severity', 'open'] as const

/** Controls that match the query, for pages and programs. */
export function controlsAskedFor(
  controls: readonly FleetControl[],
  params: URLSearchParams,
): readonly FleetControl[] | Refusal {
  const stranger = strangerIn(params, FILTERS)
  if (stranger !== undefined) return stranger
  const wanted = parseWords(params, 'severity', SEVERITIES)
  const open = parseWords(params, 'open', ['yes'])
  for (const each of [wanted, open]) if ('kind' in each) return each
  return selectControls(controls, { controls: allValues(params, 'control') }).filter(
    (control) =>
      ('kind' in wanted || wanted.length === 0 || wanted.includes(control.severity)) &&
      ('kind' in open || open.length === 0 || isOpenAnywhere(control)),
  )
}

function isOpenAnywhere(control: FleetControl): boolean {
  return hostCount(control, 'drifted') + hostCount(control, 'undecided') > 0
}

/** All controls, worst first. */
export function controlsPage({ view, params }: PageRequest): Page | Refusal {
  const found = controlsAskedFor(view.controls(), params)
  if (isRefusal(found)) return found
  const part = partOf(found, params)
  if (isRefusal(part)) return part
  const open = found.filter(isOpenAnywhere).length
  return {
    title: `${groupDigits(open)} of ${manyOf(found.length, 'control')} open`,
    form: filterForm(params),
    content: markup`<h2 class="result">${groupDigits(open)} of ${groupDigits(found.length)} controls and resources are open somewhere</h2>
${found.length === 0 ? markup`<p class="nothing">No matching controls.</p>` : controlTable('Controls and resources, worst first', part.members, view.nowMs)}
${paging('/controls', params, part)}`,
  }
}

function filterForm(params: URLSearchParams): Markup {
  const [severity = ''] = allValues(params, 'severity')
  const options = SEVERITIES.toReversed().map(
    (word) => markup`<option value="${word}"${word === severity && markup` selected=""`}>${word}</option>`,
  )
  return markup`<form class="filters" action="/controls" method="get" role="search" aria-label="Controls">
<label>Control <input type="search" name="control" value="${allValues(params, 'control')[0] ?? ''}" placeholder="ssh-*" autocomplete="off" spellcheck="false"/></label>
<label>Severity <select name="severity"><option value="">any</option>${options}</select></label>
<label class="check"><input type="checkbox" name="open" value="yes"${params.get('open') === 'yes' && markup` checked=""`}/> open somewhere</label>
<button type="submit">Filter</button>
</form>
`
}

/** The control named by the query. */
export function controlAskedFor(controls: readonly FleetControl[], params: URLSearchParams): FleetControl | Refusal {
  const stranger = strangerIn(params, ['policy', 'name'])
  if (stranger !== undefined) return stranger
  const found = controls.find(({ policy, name }) => policy === params.get('policy') && name === params.get('name'))
  return found ?? { kind: 'refusal', status: 404, message: 'no host reports about a control with this policy and name' }
}

/** State of a control on one host. */
interface Place {
  readonly host: string
  readonly standing: FleetFinding['standing']
  readonly sinceMs?: number
  readonly presence?: Presence
}

/** Page of one control, with the hosts on which it is not met. */
export function controlPage({ view, params }: PageRequest): Page | Refusal {
  const control = controlAskedFor(view.controls(), params)
  if (isRefusal(control)) return control
  const { policy, name, title, severity, openSinceMs } = control
  const places = placesOf(control, view)
  const part = partOf(places, params)
  if (isRefusal(part)) return part
  const rows: readonly (readonly [string, Part])[] = [
    ['Policy', policy],
    ['Severity', severityLabel(severity)],
    ['Drifted', manyOf(hostCount(control, 'drifted'), 'host')],
    ['Unknown', manyOf(hostCount(control, 'undecided'), 'host')],
    ['Compliant', manyOf(control.met, 'host')],
    ['Open for', renderAge(openSinceMs, view.nowMs)],
  ]
  return {
    title: name,
    content: markup`<h1>${name}</h1>
${title !== undefined && markup`<p class="lead">${title}</p>`}
${renderFacts(rows)}
${trendSection(view.trends.ofControl(control, view.nowMs), 'hosts')}${section(
      'places',
      markup`Hosts where it is not compliant <span class="count">${groupDigits(places.length)}</span>`,
      places.length === 0
        ? markup`<p class="nothing">It is compliant everywhere.</p>`
        : placeTable(part.members, view.nowMs),
    )}${paging('/control', params, part)}`,
  }
}

function placesOf(control: FleetControl, { hosts }: PageRequest['view']): readonly Place[] {
  const byName = new Map(hosts.map((host) => [host.name, host]))
  return STANDINGS.filter((standing) => standing !== 'met').flatMap((standing) =>
    (control.hosts[standing] ?? []).map((name): Place => {
      const host = byName.get(name)
      const finding = host?.findings.find((each) => each.policy === control.policy && each.name === control.name)
      return { host: name, standing, ...defined({ presence: host?.presence, sinceMs: finding?.sinceMs }) }
    }),
  )
}

function placeTable(places: readonly Place[], nowMs: number): Markup {
  return table(
    'Hosts where the control is not compliant',
    [
      { label: 'Host', kind: 'name', cell: ({ host }) => hostLink(host) },
      { label: 'State', cell: ({ standing }) => standingLabel(standing) },
      { label: 'For', cell: ({ sinceMs }) => renderAge(sinceMs, nowMs) },
      { label: 'Presence', cell: ({ presence }) => presence && presenceLabel(presence) },
    ],
    places,
  )
}
