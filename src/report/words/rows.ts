import type { Tone } from '../format.ts'
import { columnsOf, padColumns, widestOf, wrapLine } from '../../model/columns.ts'

/** How text from the machine enters the channel a report is read on, and how that channel shows a tone. */
export interface Channel {
  /** Makes one piece of text safe, on one line. */
  readonly escape: (text: string) => string
  readonly paint: (tone: Tone, text: string) => string
}

/** A labelled fact about a resource. The lines after the first stand under it. */
export interface Row {
  readonly label: string
  readonly lines: readonly [string, ...string[]]
  /** How many of them, from the first on, may be broken between words; absent means all. The others are a diff. */
  readonly prose?: number
}

/** Values of more columns than this go below each other instead of pushing the columns apart. */
export const WIDEST_CELL = 40

/**
 * The rows as lines with their texts in one column; where a width is given, prose is broken between words to fit. Labels that
 * would take half of the width stand above their texts.
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

/** How wide a column of these texts is; the long ones do not count. */
export function columnWidth(texts: readonly string[]): number {
  return widestOf(texts.filter((text) => columnsOf(text) <= WIDEST_CELL))
}

/** Labelled text of an author as rows, line by line. */
export function textRows(
  texts: readonly (readonly [label: string, text: string])[],
  { escape }: Channel,
): readonly Row[] {
  return texts.map(([label, text]) => {
    const [first = '', ...others] = text.split('\n').map(escape)
    return { label, lines: [first, ...others] }
  })
}

/** Sections of lines as one text, each line with a line feed and an empty line between two; a section without lines is left out. */
export function joinSections(sections: readonly (readonly string[])[]): string {
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => `${line}\n`).join(''))
    .join('\n')
}
