import { SEVERITIES } from '../../../model/verdict.ts'
import { activeOf, ANSWERS, type FleetHost } from '../../census.ts'
import { PRESENCES } from '../../presence.ts'
import { selectHosts } from '../../select.ts'
import { type Markup, markup, type Part, SIGN } from '../../../report/words/markup.ts'
import { type PageRequest, isRefusal, type Page, type Refusal } from '../answer.ts'
import { groupDigits, manyOf, paging } from '../pieces.ts'
import { addressOf, allValues, HOST_FILTERS, hostSelectionOf, partOf, strangerIn, VERDICTS } from '../query.ts'
import { hostTable } from '../rows.ts'

/** Maximum number of labels in the filter. */
const MOST_LABELS = 200

/** Hosts that match the filters. */
export function hostsPage({ view, params }: PageRequest): Page | Refusal {
  const found = hostsAskedFor(view.hosts, params)
  if (isRefusal(found)) return found
  const part = partOf(found, params)
  if (isRefusal(part)) return part
  return {
    title: manyOf(found.length, 'host'),
    form: filterForm(view.hosts, params),
    content: markup`<h2 class="result">${manyOf(found.length, 'host')}${found.length < view.hosts.length && ` of ${groupDigits(view.hosts.length)}`}</h2>
${renderActiveFilters(params)}${found.length === 0 ? markup`<p class="nothing">No matching hosts.</p>` : hostTable('Hosts, worst first', part.members, view.nowMs)}
${paging('/hosts', params, part)}`,
  }
}

/** Hosts that match the query, for pages and programs. Retired hosts are only included on request. */
export function hostsAskedFor(hosts: readonly FleetHost[], params: URLSearchParams): readonly FleetHost[] | Refusal {
  const stranger = strangerIn(params, HOST_FILTERS)
  if (stranger !== undefined) return stranger
  const selection = hostSelectionOf(params)
  if (isRefusal(selection)) return selection
  return selectHosts(selection.presences.includes('retired') ? hosts : activeOf(hosts), selection)
}

function filterForm(hosts: readonly FleetHost[], params: URLSearchParams): Markup {
  const labels = new Set<string>()
  for (const host of hosts) {
    for (const [key, value] of Object.entries(host.labels)) if (labels.size < MOST_LABELS) labels.add(`${key}=${value}`)
  }
  const rings = [...new Set(hosts.flatMap(({ ring }) => ring ?? []))].toSorted()
  const kept = allValues(params, 'version').map(
    (version) => markup`<input type="hidden" name="version" value="${version}"/>`,
  )
  return markup`<form class="filters" action="/hosts" method="get" role="search" aria-label="Hosts">
<label>Text <input type="search" name="q" value="${params.get('q') ?? ''}" placeholder="name, ring or label" autocomplete="off" spellcheck="false"/></label>
${choice('Answer', 'answer', ANSWERS, params)}${choice('Presence', 'presence', PRESENCES, params)}${choice('Drift', 'severity', SEVERITIES.toReversed(), params)}${rings.length > 1 && choice('Ring', 'ring', rings, params)}${labels.size > 0 && choice('Label', 'label', [...labels].toSorted(), params)}<label>Control <input type="text" name="control" value="${allValues(params, 'control')[0] ?? ''}" placeholder="ssh-*" autocomplete="off" spellcheck="false"/></label>
${choice('Verdict of it', 'verdict', VERDICTS, params)}${kept}<button type="submit">Filter</button>
</form>
`
}

function choice(label: string, name: string, words: readonly string[], params: URLSearchParams): Markup {
  const [chosenWord = ''] = allValues(params, name)
  const options = words.map(
    (word) => markup`<option value="${word}"${word === chosenWord && markup` selected=""`}>${word}</option>`,
  )
  return markup`<label>${label} <select name="${name}"><option value="">any</option>${options}</select></label>
`
}

/** Active filters, each as a link that removes it. */
function renderActiveFilters(params: URLSearchParams): Part {
  const entries = [...params].filter(([name, value]) => name !== 'page' && value !== '')
  if (entries.length === 0) return undefined
  const without = entries.map(([name, value], index) => {
    const rest = new URLSearchParams(entries.filter((_entry, at) => at !== index))
    return markup`<li><a href="${addressOf('/hosts', rest)}" title="Remove filter">${name === 'q' ? 'text' : name}: ${value} <span aria-hidden="true">${SIGN.times}</span></a></li>`
  })
  return markup`<ul class="chosen" aria-label="Filters">${without}<li><a href="/hosts">all hosts</a></li></ul>
`
}
