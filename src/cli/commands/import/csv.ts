import type { TreeMember, TreeNode } from '../../../policy/document/tree.ts'

/** A cell with its offset. */
interface Cell {
  readonly text: string
  readonly offset: number
}

/** CSV rows below a header line, as a map from the first cell of each row to its others. @see RFC 4180 */
export function readCsv(text: string): TreeNode {
  const [names = [], ...rows] = rowsOf(text)
  const entries = rows.map(([first, ...cells]): [string, TreeMember] => {
    const fields = cells.flatMap((cell, index): [string, TreeMember][] => {
      const name = names[index + 1]
      if (name === undefined || cell.text === '') return []
      return [[name.text.trim(), { keyOffset: cell.offset, value: scalar(cell) }]]
    })
    const offset = first?.offset ?? 0
    return [first?.text.trim() ?? '', { keyOffset: offset, value: { kind: 'map', offset, entries: new Map(fields) } }]
  })
  return { kind: 'map', offset: 0, entries: new Map(entries) }
}

function scalar({ text, offset }: Cell): TreeNode {
  return { kind: 'scalar', offset, value: text, text }
}

function rowsOf(text: string): readonly (readonly Cell[])[] {
  const rows: Cell[][] = []
  let row: Cell[] = []
  for (const found of text.matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(,|\r?\n|$)/g)) {
    const [, written = '', end = ''] = found
    const value = written.startsWith('"') ? written.slice(1, -1).replaceAll('""', '"') : written
    row.push({ text: value, offset: found.index })
    if (end === ',') continue
    if (row.length > 1 || value !== '') rows.push(row)
    row = []
  }
  return rows
}
