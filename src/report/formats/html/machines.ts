import type { RunOrigin } from '../../../core/run.ts'
import { type Markup, markup } from './markup.ts'
import { cell, linkTo } from './pieces.ts'
import type { Group, View } from './view.ts'
import { countVerdicts, formatCount, formatTime } from './words.ts'

/** Of a report merged of several runs: each machine with what was found on it. */
export function machinesSection({ groups, hosts }: View): Markup {
  if (hosts.length < 2) return markup``
  const rows = hosts.map((host) => machineRow(groups.filter(({ origin }) => origin.target.hostname === host)))
  return markup`<section id="machines" aria-labelledby="machines-title">
<h2 id="machines-title">Machines <span class="count">${formatCount(hosts.length)}</span></h2>
<table class="wide">
<thead><tr>${['Machine', 'Scanned', 'Resources'].map((name) => markup`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows}</tbody>
</table></section>
`
}

function machineRow(groups: readonly Group[]): Markup {
  const [first] = groups
  if (first === undefined) return markup``
  const { target } = first.origin
  const results = groups.flatMap(({ entries }) => entries.map(({ result }) => result))
  const counts = countVerdicts(results).map(
    ([verdict, count]) => markup`<span class="verdict" data-v="${verdict}">${formatCount(count)} ${verdict}</span> `,
  )
  return markup`<tr><th scope="row">${linkTo(first.anchor, target.hostname)}<p>${`${target.os.id} ${target.os.version}`.trim()}</p></th>${cell('Scanned', scansOf(groups))}${cell('Resources', counts.length > 0 ? counts : 'none')}</tr>
`
}

/** When it was scanned, each run once. */
function scansOf(groups: readonly Group[]): Markup {
  const runs = new Map<string, RunOrigin>(groups.map(({ origin }) => [origin.runId, origin]))
  return markup`${[...runs.values()].map(({ startedAt, mode }) => markup`<span class="date">${formatTime(startedAt)}</span>${mode === 'fix' && ', a fix'} `)}`
}
