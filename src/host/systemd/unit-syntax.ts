export interface UnitAssignment {
  readonly key: string
  readonly value: string
  /** Its first line, counted from 1. */
  readonly line: number
}

/** The assignments of one section of a unit file, in order. @see systemd.syntax(7) */
export function assignmentsIn(text: string, wanted: string): readonly UnitAssignment[] {
  let section = ''
  return logicalLines(text).flatMap(({ text: line, number }) => {
    if (line.startsWith('[')) section = line.slice(1, line.endsWith(']') ? -1 : undefined)
    const at = line.indexOf('=')
    if (line.startsWith('[') || section !== wanted || at === -1) return []
    return [{ key: trimBlanks(line.slice(0, at)), value: trimBlanks(line.slice(at + 1)), line: number }]
  })
}

interface LogicalLine {
  readonly text: string
  readonly number: number
}

/** What ends a line for systemd. @see read_line() */
const LINE_END = /\r\n|\n\r|[\n\r\0]/

function trimBlanks(text: string): string {
  return text.replace(/^[ \t]+|[ \t]+$/g, '')
}

/** Lines without comments, with continuation lines joined; a comment between them does not end a line. The first byte order mark is skipped. */
function logicalLines(text: string): readonly LogicalLine[] {
  const lines: LogicalLine[] = []
  let open = ''
  let start: number | undefined
  let isMarked = false
  for (const [index, read] of text.split(LINE_END).entries()) {
    if (/^[ \t]*[#;]/.test(read)) continue
    start ??= index + 1
    const physical: string = isMarked ? read : read.replace(/^\uFEFF/, '')
    isMarked ||= physical !== read
    const [backslashes = ''] = /\\*$/.exec(physical) ?? []
    if (backslashes.length % 2 === 1) {
      open += `${physical.slice(0, -1)} `
      continue
    }
    lines.push({ text: trimBlanks(`${open}${physical}`), number: start })
    open = ''
    start = undefined
  }
  return [...lines, { text: trimBlanks(open), number: start ?? 0 }].filter((line) => line.text !== '')
}

/** Splits a value into words and removes quotes in them; a quote that is not closed ends the list. */
export function wordsOf(value: string): readonly string[] {
  const words = value.matchAll(/[ \t]*((?:[^ \t"']|"[^"]*"|'[^']*')+)(?![^ \t])/gy)
  return [...words].map(([, word = '']) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'))
}
