import type { Tone } from '../format.ts'
import { columnsOf, padColumns, widestOf, wrapLine } from '../../model/columns.ts'

/** The output channel of a report: how it escapes untrusted text, and how it shows a tone. */
export interface Channel {
  readonly escape: (text: string) => string
  readonly paint: (tone: Tone, text: string) => string
}

/** A labelled fact about a resource. Further lines are placed below the first. */
export interface Row {
  readonly label: string
  readonly lines: readonly [string, ...string[]]
  /** Number of leading lines that may be wrapped; all if undefined. The others are a diff. */
  readonly prose?: number
}

/** Values wider than this go on separate lines instead of widening the columns. */
export const WIDEST_CELL = 40

/**
 * Lays out rows with their texts in one column; prose is wrapped to the width, if given. Labels wider than half of the
 * width are placed above their texts.
 */
export function layOut(rows: readonly Row[], paint: Channel['paint'], width?: number): readonly string[] {
  const column = columnWidth(rows.map(({ label }) => label)) + 1
  if (width !== undefined && column + 1 > width / 2) return rows.flatMap((row) => stack(row, paint, width))
  return rows.flatMap(({ label, lines, prose = lines.length }) =>
    lines.flatMap((line, index) => {
      const whole =
        index === 0 ? `${paint('dim', padColumns(`${label}:`, column))} ${line}` : ' '.repeat(column + 1) + line
      return index < prose ? wrapLine(whole, width, column + 1) : [whole]
    }),
  )
}

function stack({ label, lines, prose = lines.length }: Row, paint: Channel['paint'], width: number): readonly string[] {
  const below = lines.flatMap((line, index) => (index < prose ? wrapLine(`  ${line}`, width, 2) : [`  ${line}`]))
  return [...wrapLine(paint('dim', `${label}:`), width, 2), ...below]
}

/** Width of a column of texts; long ones are ignored. */
export function columnWidth(texts: readonly string[]): number {
  return widestOf(texts.filter((text) => columnsOf(text) <= WIDEST_CELL))
}

/** Labelled texts as rows, line by line. */
export function textRows(
  texts: readonly (readonly [label: string, text: string])[],
  { escape }: Channel,
): readonly Row[] {
  return texts.map(([label, text]) => {
    const [first = '', ...others] = text.split('\n').map(escape)
    return { label, lines: [first, ...others] }
  })
}

/** Joins sections with empty lines, and ends each line with a line feed; empty sections are left out. */
export function joinSections(sections: readonly (readonly string[])[]): string {
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => `${line}\n`).join(''))
    .join('\n')
}
