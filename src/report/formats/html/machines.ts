import { hostNameOf, ownNameOf } from '../../../model/host-name.ts'
import { withoutRollUps } from '../../../model/roll-up.ts'
import type { RunOrigin } from '../../../model/run.ts'
import { describeHost, hostAt, type Matrix } from '../../words/matrix.ts'
import { originOf } from '../../words/origin.ts'
import { type Markup, markup } from '../../words/markup.ts'
import { cell } from './pieces.ts'
import type { View } from './view.ts'
import { countVerdicts, formatCount, formatTime } from './words.ts'

/** For a merged report: each machine with its results. */
export function machinesSection(view: View): Markup {
  const { matrix } = view
  if (matrix === undefined) return markup``
  const rows = matrix.hosts.map((_host, index) => machineRow(view, matrix, index))
  return markup`<section id="machines" aria-labelledby="machines-title">
<h2 id="machines-title">Machines <span class="count">${formatCount(matrix.hosts.length)}</span></h2>
<table class="wide machines">
<thead><tr>${['Machine', 'Scanned', 'Requirements', 'Resources'].map((name) => markup`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows}</tbody>
</table></section>
`
}

function machineRow({ run }: View, matrix: Matrix, index: number): Markup {
  const host = matrix.hosts[index] ?? ''
  const policies = run.policies.filter((policy) => hostNameOf(originOf(run, policy).target) === host)
  const origins = policies.map((policy) => originOf(run, policy))
  const [origin] = origins
  const system = `${origin?.target.os.id ?? ''} ${origin?.target.os.version ?? ''}`.trim()
  const own = (origin && ownNameOf(origin.target)) ?? ''
  const about = [own, system].filter((text) => text !== '').join(', ')
  const counts = countVerdicts(policies.flatMap(({ resources }) => withoutRollUps(resources))).map(
    ([verdict, count]) => markup`<span class="verdict" data-v="${verdict}">${formatCount(count)} ${verdict}</span> `,
  )
  return markup`<tr><th scope="row">${host}${about !== '' && markup`<p>${about}</p>`}</th>${cell('Scanned', scansOf(origins))}${cell('Requirements', describeHost(hostAt(matrix, index)))}${cell('Resources', counts.length > 0 ? counts : 'none')}</tr>
`
}

/** The times of its scans, without duplicates. */
function scansOf(origins: readonly RunOrigin[]): Markup {
  const runs = new Map(origins.map((origin) => [origin.runId, origin]))
  return markup`${[...runs.values()].map(({ startedAt, mode }) => markup`<span class="date">${formatTime(startedAt)}</span>${mode === 'fix' && ', a fix'} `)}`
}
