/** An assignment in a unit file. */
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
    return [{ key: line.slice(0, at).trim(), value: line.slice(at + 1).trim(), line: number }]
  })
}

interface LogicalLine {
  readonly text: string
  readonly number: number
}

/** Lines without comments, with continuation lines joined; a comment between them does not end a line. */
function logicalLines(text: string): readonly LogicalLine[] {
  const lines: LogicalLine[] = []
  let open = ''
  let start: number | undefined
  for (const [index, physical] of text.split('\n').entries()) {
    if (/^\s*[#;]/.test(physical)) continue
    start ??= index + 1
    const [backslashes = ''] = /\\*$/.exec(physical) ?? []
    if (backslashes.length % 2 === 1) {
      open += `${physical.slice(0, -1)} `
      continue
    }
    lines.push({ text: `${open}${physical}`.trim(), number: start })
    open = ''
    start = undefined
  }
  return [...lines, { text: open.trim(), number: start ?? 0 }].filter((line) => line.text !== '')
}

/** Splits a value into words and removes quotes around them. */
export function wordsOf(value: string): readonly string[] {
  return (value.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^(["'])(.*)\1$/s, '$2'))
}
