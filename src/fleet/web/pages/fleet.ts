import { EXIT } from '../../../model/gate.ts'
import { activeOf, ANSWERS, type FleetHost } from '../../census.ts'
import { hostCount } from '../../controls.ts'
import { PRESENCES } from '../../presence.ts'
import type { ResidentView } from '../../resident.ts'
import { type Markup, markup, type Part } from '../../../report/words/markup.ts'
import type { PageRequest, Page, Refusal } from '../answer.ts'
import { groupDigits, manyOf, section, toneOf } from '../pieces.ts'
import { addressOf, strangerIn } from '../query.ts'
import { controlTable, hostTable, missingTable } from '../rows.ts'

/** Number of items of each kind on the page. */
const SHOWN = 8

/** Start page: the state of the fleet, its worst findings, missing hosts. */
export function fleetPage({ view, params }: PageRequest): Page | Refusal {
  const stranger = strangerIn(params, [])
  if (stranger !== undefined) return stranger
  const active = activeOf(view.hosts)
  const missing = active.filter(({ trouble }) => trouble !== undefined)
  const open = view.controls().filter((control) => hostCount(control, 'drifted') > 0)
  const worst = active.filter(({ answer }) => answer === 'drifted')
  return {
    title:
      view.exit.code === EXIT.ok
        ? 'Fine'
        : `Not compliant: ${groupDigits(active.length - fineIn(active))} of ${manyOf(active.length, 'host')}`,
    content: markup`${outcome(view)}${renderShares(view.hosts)}${renderListed({
      id: 'missing',
      heading: 'Unknown hosts',
      all: missing,
      path: '/silence',
      show: (hosts) => missingTable('Missing hosts, worst first', hosts, view.nowMs),
    })}${renderListed({
      id: 'worst-controls',
      heading: 'Worst controls',
      all: open,
      path: '/controls',
      show: (controls) => controlTable('Worst controls, by severity and number of hosts', controls, view.nowMs),
    })}${renderListed({
      id: 'worst-hosts',
      heading: 'Worst hosts',
      all: worst,
      path: '/hosts?answer=drifted',
      show: (hosts) => hostTable('Hosts with the most drift', hosts, view.nowMs),
    })}`,
  }
}

function fineIn(hosts: readonly FleetHost[]): number {
  return hosts.filter(({ answer }) => answer === 'compliant').length
}

function outcome({ exit, hosts, hasRoster }: ResidentView): Markup {
  const isFine = exit.code === EXIT.ok
  const strangers = hosts.filter(({ isListed }) => !isListed).length
  const remarks = [
    ...exit.reasons,
    ...(hasRoster ? [] : ['no roster: missing hosts are not detected (set --roster)']),
    ...(strangers === 0 ? [] : [`${manyOf(strangers, 'host')} not in the roster`]),
  ]
  return markup`<section class="outcome" data-tone="${isFine ? 'good' : exit.code === EXIT.drift ? 'bad' : 'warn'}" aria-labelledby="outcome">
<h1 id="outcome">${isFine ? 'Fleet compliant' : 'Fleet not compliant'}</h1>
${remarks.length > 0 ? markup`<ul>${remarks.map((reason) => markup`<li>${reason}</li>`)}</ul>` : markup`<p>All hosts report and comply</p>`}
</section>
`
}

/** Number of hosts by state, each linked to its hosts. */
function renderShares(hosts: readonly FleetHost[]): Markup {
  const active = activeOf(hosts)
  const tones = { drifted: 'bad', undecided: 'warn', compliant: 'good' } as const
  const answers = ANSWERS.map((answer) => ({
    answer,
    count: active.filter((host) => host.answer === answer).length,
  }))
  let before = 0
  const bars = answers.map(({ answer, count }) => {
    const start = before
    before += count
    return markup`<rect data-tone="${tones[answer]}" x="${percent(start, active.length)}%" width="${percent(count, active.length)}%" height="6"/>`
  })
  const presences = PRESENCES.map((presence) => ({
    presence,
    count: hosts.filter((host) => host.presence === presence).length,
  })).filter(({ count }) => count > 0)
  return markup`<section id="counts" aria-label="Counts">
<svg class="share" aria-hidden="true" height="6">${bars}</svg>
<ul class="tiles">
<li><a class="tile" href="/hosts"><b>${groupDigits(active.length)}</b> ${active.length === 1 ? 'host' : 'hosts'}</a></li>
${answers.map(({ answer, count }) => markup`<li><a class="tile" data-tone="${tones[answer]}" href="${addressOf('/hosts', { answer })}"><b>${groupDigits(count)}</b> ${answer}</a></li>\n`)}</ul>
<ul class="presences" aria-label="Presence">
${presences.map(({ presence, count }) => markup`<li data-tone="${toneOf(presence)}"><a href="${addressOf('/hosts', { presence })}"><b>${groupDigits(count)}</b> ${presence}</a></li>\n`)}</ul>
</section>
`
}

function percent(count: number, total: number): string {
  return total === 0 ? '0' : ((count / total) * 100).toFixed(3)
}

interface Listed<Member> {
  readonly id: string
  readonly heading: string
  readonly all: readonly Member[]
  readonly path: string
  readonly show: (shown: readonly Member[]) => Markup
}

function renderListed<Member>({ id, heading, all, path, show }: Listed<Member>): Part {
  if (all.length === 0) return undefined
  const more = all.length > SHOWN && markup`<p class="more"><a href="${path}">All ${groupDigits(all.length)}</a></p>`
  return section(
    id,
    markup`${heading} <span class="count">${groupDigits(all.length)}</span>`,
    markup`${show(all.slice(0, SHOWN))}${more}`,
  )
}
