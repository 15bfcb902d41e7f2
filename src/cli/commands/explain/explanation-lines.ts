import { columnsOf } from '../../../model/columns.ts'
import { stringify } from 'yaml'
import { escapeForTerminal } from '../../../model/escape.ts'
import { formatPosition } from '../../../model/format-problem.ts'
import { formatValue } from '../../../model/format-value.ts'
import {
  type ExplainedValue,
  type InputOrigin,
  isRedacted,
  type TemplateInput,
} from '../../../engine/inspect/explain/model.ts'
import type { Paint } from '../../output/color.ts'

/** A longer value gets lines of its own. */
const LONGEST_INLINE = 60

/** Maximum number of lines per value; the JSON output has all of them. */
const MOST_LINES = 20
const LONGEST_LINE = 500

/** Cells in columns, the text after the last one, and lines below the second one. */
interface TableRow {
  readonly cells: readonly string[]
  /** Widths of painted cells; otherwise they are measured. */
  readonly widths?: readonly number[]
  readonly end: string
  readonly below?: readonly string[]
}

/** Aligns rows in columns; a very long cell does not widen its column. */
export function table(rows: readonly TableRow[]): readonly string[] {
  const widthOf = ({ cells, widths }: TableRow, column: number): number =>
    widths?.[column] ?? columnsOf(cells[column] ?? '')
  const count = Math.max(0, ...rows.map(({ cells }) => cells.length))
  const widths = Array.from({ length: count }, (_, column) =>
    rows.reduce((widest, row) => {
      const width = widthOf(row, column)
      return width > LONGEST_INLINE ? widest : Math.max(widest, width)
    }, 0),
  )
  return rows.flatMap((row) => {
    const cells = row.cells.map((cell, at) => cell + ' '.repeat(Math.max(0, (widths[at] ?? 0) - widthOf(row, at))))
    const start = ' '.repeat((widths[0] ?? 0) + 2)
    return [`${cells.join('  ')}  ${row.end}`.trimEnd(), ...(row.below ?? []).map((line) => start + line)]
  })
}

export function indent(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`)
}

/** An escaped value on one line; undefined if it does not fit. */
export function inlineOf(value: ExplainedValue): string | undefined {
  const text = textOf(value)
  if (text === undefined || text.includes('\n') || text.length > LONGEST_INLINE) return undefined
  return escapeForTerminal(text)
}

/** An escaped value as lines: a text as it is, anything else as YAML. */
export function blockOf(value: ExplainedValue): readonly string[] {
  const text = typeof value === 'string' || isRedacted(value) ? textOf(value) : stringify(value, { lineWidth: 0 })
  const lines = (text ?? '').replace(/\n$/, '').split('\n')
  const leftOut = lines.length - MOST_LINES
  const shown = lines.slice(0, leftOut > 1 ? MOST_LINES : lines.length)
  return [
    ...shown.map((line) => escapeForTerminal(line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line)),
    ...(leftOut > 1 ? [`[${leftOut} lines omitted]`] : []),
  ]
}

function textOf(value: ExplainedValue): string | undefined {
  if (isRedacted(value)) return formatValue(value)
  if (value === null || value === undefined) return 'nil'
  if (typeof value === 'string') return value.includes('\n') ? value : formatValue(value)
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  return stringify(value, { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 }).trimEnd()
}

/** One line per template input, with nested inputs below. */
export function inputLines(inputs: readonly TemplateInput[], paint: Paint): readonly string[] {
  return table(inputs.map((input) => inputRow(input, paint)))
}

function inputRow(input: TemplateInput, paint: Paint): TableRow {
  const { name, message, written, inputs = [] } = input
  const isValued = 'value' in input
  const inline = isValued ? inlineOf(input.value) : escapeForTerminal(message ?? '')
  const shown = inline ?? 'below'
  const template = written === undefined ? [] : ['by its template:', ...indent(blockOf(written))]
  return {
    cells: [escapeForTerminal(name), paint(isValued ? 'good' : 'dim', shown)],
    widths: [columnsOf(escapeForTerminal(name)), columnsOf(shown)],
    end: paint('dim', originsText(input)),
    below: [...(inline === undefined ? blockOf(input.value) : []), ...template, ...indent(inputLines(inputs, paint))],
  }
}

function originsText({ from, over = [] }: TemplateInput): string {
  const won = from.map(originText).join(', ')
  return over.length === 0 ? won : `${won}; over ${over.map(originText).join(', ')}`
}

function originText({ name, position }: InputOrigin): string {
  const shown = escapeForTerminal(name)
  return position === undefined ? shown : `${shown} (${formatPosition(position)})`
}
