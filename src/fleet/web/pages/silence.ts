import { activeOf, type FleetHost } from '../../census.ts'
import { unsentIn } from '../../unsent.ts'
import { markup } from '../../../report/words/markup.ts'
import { type PageRequest, isRefusal, type Page, type Refusal } from '../answer.ts'
import { renderAge, groupDigits, manyOf, paging, section, table } from '../pieces.ts'
import { addressOf, partOf, strangerIn } from '../query.ts'
import { hostTable, missingTable } from '../rows.ts'
import { unsentSection } from '../said.ts'

/** Number of unusable items shown. */
const MOST_PLACES = 100

/** Hosts with an unknown state, and late ones. */
export function missingIn(hosts: readonly FleetHost[]): readonly FleetHost[] {
  return activeOf(hosts).filter(({ trouble, presence }) => trouble !== undefined || presence === 'late')
}

/** Page of missing hosts and unusable items. */
export function silencePage({ view, params }: PageRequest): Page | Refusal {
  const stranger = strangerIn(params, [])
  if (stranger !== undefined) return stranger
  const { hosts, nowMs, unusable, hasRoster } = view
  const missing = missingIn(hosts)
  const part = partOf(missing, params)
  if (isRefusal(part)) return part
  const strangers = activeOf(hosts).filter(({ isListed }) => !isListed)
  const retired = hosts.filter(({ presence }) => presence === 'retired').length
  return {
    title: missing.length === 0 ? 'All hosts report' : `${manyOf(missing.length, 'host')} missing`,
    content: markup`<h2 class="result">${missing.length === 0 ? 'All hosts report' : manyOf(missing.length, 'host')}</h2>
${!hasRoster && markup`<p class="nothing">There is no roster: a host that never reported is not missed. Give one with --roster.</p>`}
${missing.length > 0 && missingTable('Missing hosts, worst first', part.members, nowMs)}
${paging('/silence', params, part)}${
      unusable.length > 0 &&
      section(
        'unusable',
        markup`Files that cannot be used <span class="count">${groupDigits(unusable.length)}</span>`,
        markup`${table(
          'Unusable files',
          [
            { label: 'Place', kind: 'name', cell: ({ place }) => markup`<code>${place}</code>` },
            { label: 'Since', cell: ({ storedAtMs }) => renderAge(storedAtMs, nowMs, ' ago') },
            { label: 'Why', cell: ({ reason }) => reason },
          ],
          unusable.slice(0, MOST_PLACES),
        )}${unusable.length > MOST_PLACES && markup`<p class="more">and ${groupDigits(unusable.length - MOST_PLACES)} more</p>`}`,
      )
    }${unsentSection(unsentIn(hosts), nowMs)}${
      strangers.length > 0 &&
      section(
        'strangers',
        markup`Not in the roster <span class="count">${groupDigits(strangers.length)}</span>`,
        hostTable('Hosts that report and are not in the roster', strangers.slice(0, MOST_PLACES), nowMs),
      )
    }${
      retired > 0 &&
      markup`<p class="more"><a href="${addressOf('/hosts', { presence: 'retired' })}">${manyOf(retired, 'retired host')}</a></p>`
    }`,
  }
}
