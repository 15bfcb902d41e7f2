import type { ControlVerdict } from '../../../model/verdict.ts'
import { type Matrix, type MatrixCell, type MatrixRow, signLegend, SIGNS } from '../../words/matrix.ts'
import type { Requirement, Standing } from '../../words/requirements.ts'
import { type Markup, markup, type Part } from '../../words/markup.ts'
import { linkTo, severityLabel } from './pieces.ts'
import type { View } from './view.ts'
import { formatCount } from './words.ts'

/** Number of machines that fit side by side on paper; more go to further tables. */
const COLUMNS = 25

/** The verdict whose colour a standing has, for standings that need attention. */
const COLOURS: Readonly<Partial<Record<Standing, ControlVerdict>>> = {
  drifted: 'drifted',
  undecided: 'error',
  known: 'waived',
  manual: 'not-evaluated',
  waived: 'waived',
}

/** Failing requirements by machine, worst first; machines that differ from the majority are marked. */
export function matrixSection({ matrix, groups }: View): Markup {
  if (matrix === undefined || matrix.failing.length === 0) return markup``
  const anchors = new Map(
    groups.flatMap((group) => [
      ...group.controls.map(({ requirement, anchor }) => [requirement, anchor] as const),
      ...matrix.failing
        .filter(({ worst }) => worst.control === undefined && worst.policy.id === group.policy.id)
        .map(({ worst }) => [worst, group.findResource(worst.path ?? [], worst.id)] as const),
    ]),
  )
  const starts = Array.from({ length: Math.ceil(matrix.hosts.length / COLUMNS) }, (_, index) => index * COLUMNS)
  return markup`<section id="matrix" aria-labelledby="matrix-title">
<h2 id="matrix-title">What fails, by machines <span class="count">${formatCount(matrix.failing.length)}</span></h2>
<p class="legend">${signLegend(matrix.failing.flatMap(({ cells }) => cells))}${matrix.others.length > 0 && `; ${formatCount(matrix.others.length)} more fail nowhere`}</p>
${starts.map((start) => table(matrix, start, anchors))}</section>
`
}

type Anchors = ReadonlyMap<Requirement, string | undefined>

function table({ hosts, failing }: Matrix, start: number, anchors: Anchors): Markup {
  const end = start + COLUMNS
  const shown = hosts.slice(start, end)
  const rows = failing.filter(({ cells }) => cells.slice(start, end).some((cell) => (cell?.found ?? []).length > 0))
  if (rows.length === 0) return markup``
  const heads = shown.map((host) => markup`<th scope="col" class="machine"><span title="${host}">${host}</span></th>`)
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="What fails, by machines ${start + 1} to ${start + shown.length}"><table class="matrix">
<thead><tr><th scope="col">Control or resource</th>${heads}</tr></thead>
<tbody>${rows.map((row) => tableRow(row, row.cells.slice(start, end), anchors.get(row.worst)))}</tbody>
</table></div>
`
}

function tableRow({ worst }: MatrixRow, cells: MatrixRow['cells'], anchor: string | undefined): Markup {
  const { id, path = [], control, severity } = worst
  const parents = path.map((parent) => [parent, ' › '])
  return markup`<tr><th scope="row">${severityLabel(severity)} ${parents}${linkTo(anchor, id)}${control?.title !== undefined && [' ', control.title]}</th>${cells.map(toCell)}</tr>
`
}

function toCell(cell: MatrixCell | undefined): Part {
  if (cell === undefined) return markup`<td></td>`
  const { standing } = cell.requirement
  const colour = COLOURS[standing]
  return markup`<td${colour !== undefined && markup` data-v="${colour}"`}${cell.differs && markup` class="differs"`}>${SIGNS[standing]}${cell.differs && '*'}</td>`
}
