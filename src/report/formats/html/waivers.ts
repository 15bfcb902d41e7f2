import { formatPosition } from '../../../model/format-problem.ts'
import type { WaiverRecord } from '../../../model/waiver.ts'
import { linesOf, type Markup, markup } from '../../words/markup.ts'
import { badge, cell, renderFacts, linkIfAddress } from './pieces.ts'
import type { View } from './view.ts'
import { countOf, formatCount } from './words.ts'

/** The waivers of the run, those that expire first at the top. */
export function waiversSection({ run: { waivers = [] } }: View): Markup {
  if (waivers.length === 0) return markup``
  const sorted = waivers.toSorted((left, right) => left.daysLeft - right.daysLeft)
  return markup`<section id="waivers" aria-labelledby="waivers-title">
<h2 id="waivers-title">Waivers <span class="count">${formatCount(waivers.length)}</span></h2>
<table class="wide even">
<thead><tr>${['Waiver', 'Time left', 'Accepts', 'Approved by'].map((name) => markup`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${sorted.map(waiverRow)}</tbody>
</table></section>
`
}

function waiverRow(waiver: WaiverRecord): Markup {
  const { id, reason, approver, ticket, created, source } = waiver
  return markup`<tr><th scope="row">${id}<p>${linesOf(reason)}</p></th>
${cell('Time left', [timeLeft(waiver), ' ', markup`<span class="dim date">${waiver.state === 'expired' ? 'ended' : 'until'} ${waiver.expires}</span>`])}
${cell('Accepts', [acceptedBy(waiver), renderFacts(scopeOf(waiver))])}
${cell('Approved by', [
  approver,
  renderFacts([
    ['ticket', ticket !== undefined && linkIfAddress(ticket)],
    ['since', created],
    ['source', markup`<span class="place">${formatPosition(source)}</span>`],
  ]),
])}</tr>
`
}

function timeLeft({ state, daysLeft, expiresSoon }: WaiverRecord): Markup {
  if (state === 'expired') return badge('bad', daysLeft < 0 ? `expired ${countOf(-daysLeft, 'day')} ago` : 'expired')
  const text = daysLeft === 0 ? 'last day' : `${countOf(daysLeft, 'day')} left`
  return expiresSoon ? badge('waived', text) : markup`${text}`
}

/** The usage of a waiver: one in force that accepts nothing is unused. */
function acceptedBy({ accepted, state }: WaiverRecord): Markup {
  if (accepted > 0) return markup`${countOf(accepted, 'resource')}`
  return state === 'expired' ? markup`no drift` : badge('quiet', 'unused')
}

function scopeOf(waiver: WaiverRecord): readonly (readonly [string, string | undefined])[] {
  return (['resource', 'control', 'property', 'host', 'value'] as const).map((name) => [name, waiver[name]])
}
