import { columnsOf } from '../../model/columns.ts'
import type { Tone } from '../../report/format.ts'
import type { Paint } from './color.ts'

/** A cell with its tone. The last cell of a row may have any length. */
export interface Cell {
  readonly text: string
  readonly tone?: Tone | undefined
}

interface Layout {
  /** First numeric column; it and all later ones except the last are right-aligned. */
  readonly firstNumber: number
  readonly paint: Paint
}

/** Aligns rows in columns, two spaces apart. */
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
