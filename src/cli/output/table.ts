import { columnsOf } from '../../model/columns.ts'
import type { Tone } from '../../report/format.ts'
import type { Paint } from './color.ts'

/** A cell with what it means. The last one of a row is as long as it likes. */
export interface Cell {
  readonly text: string
  readonly tone?: Tone | undefined
}

/** How a table looks. */
interface Layout {
  /** From this column to the last but one they are numbers and stand to the right. */
  readonly firstNumber: number
  readonly paint: Paint
}

/** Rows whose columns stand below each other, two spaces apart. */
export function tableRows(rows: readonly (readonly Cell[])[], { firstNumber, paint }: Layout): readonly string[] {
  const widths: number[] = []
  for (const row of rows) {
    for (const [column, { text }] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, columnsOf(text))
  }
  return rows.map((row) =>
    row
      .map(({ text, tone }, column) => {
        const shown = tone === undefined ? text : paint(tone, text)
        if (column === row.length - 1) return shown
        const gap = ' '.repeat((widths[column] ?? 0) - columnsOf(text))
        return column >= firstNumber ? gap + shown : shown + gap
      })
      .join('  '),
  )
}
