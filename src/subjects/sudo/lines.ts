/** Logical line of sudoers: continuation lines joined, comment removed. */
export interface SudoersLine {
  readonly text: string
  /** The same text, with `_` for every escaped or quoted character. */
  readonly shape: string
  /** Number of its first line, from 1. */
  readonly line: number
}

/** Line continuation: a backslash, optional blanks, the line end, and the indentation of the next line. */
const CONTINUED = /\\[ \t]*\r?\n[ \t]*/y

/** Token: an escaped character, blanks, or any other single character. */
const PART = /\\[^]|[ \t]+|[^]/y

/** Characters after which a quotation mark opens a string; elsewhere it is literal. */
const BEFORE_COMMAND = /[=,:)! \t\n\v\f\r]/

/** Lines without comments. A comment is never continued. @see toke.l of sudo 1.9 */
export function sudoersLines(text: string): readonly SudoersLine[] {
  const lines: SudoersLine[] = []
  let [said, shape, number, start] = ['', '', 1, 1]
  let isQuoted = false
  let isCommand = false
  const end = (): void => {
    const line = trimBlanks(said)
    if (line !== '') lines.push({ text: line, shape: trimBlanks(shape), line: start })
    said = ''
    shape = ''
    isQuoted = false
    isCommand = false
  }
  for (let at = 0; at < text.length;) {
    CONTINUED.lastIndex = at
    if (!isPathOfInclude(said) && CONTINUED.test(text)) {
      at = CONTINUED.lastIndex
      number += 1
      // A line that the file does not continue is a syntax error.
      if (at >= text.length) return lines
      said += isQuoted ? '' : ' '
      shape += isQuoted ? '' : ' '
      continue
    }
    PART.lastIndex = at
    const [part = ''] = PART.exec(text) ?? []
    // Behind the path of an include, a backslash at the end of a line is a part of it.
    const isCut = part === '\\\n' && isPathOfInclude(said)
    at += isCut ? 1 : part.length
    if (part === '\n') {
      end()
      number += 1
      start = number
    } else if (part === '#' && !isQuoted && startsComment(text, at, said)) {
      const next = text.indexOf('\n', at)
      at = next === -1 ? text.length : next
    } else {
      if (part === '"' && !isCommand) isQuoted = !isQuoted
      if (part === '/' && !isQuoted && !/^Defaults(?!!)/.test(said) && BEFORE_COMMAND.test(said.slice(-1)))
        isCommand = true
      if (/^[,:=]$/.test(part)) isCommand = false
      said += isCut ? '\\' : part
      shape += isQuoted || part.startsWith('\\') ? '_' : part
    }
  }
  end()
  return lines
}

function trimBlanks(text: string): string {
  return text.replace(/^[ \t]+|[ \t\r]+$/g, '')
}

/** Whether a line so far ends within the path of an include without quotes. */
function isPathOfInclude(said: string): boolean {
  return /^[@#]include(?:dir)?[ \t]+(?:\\[^]|[^ \t"\\])+$/.test(said)
}

/** Whether the `#` before this position starts a comment: it may be a part of a number, or of the path of an include. */
function startsComment(text: string, at: number, said: string): boolean {
  return !isPathOfInclude(said) && !/^-?\d/.test(text.slice(at, at + 2)) && !isOldInclude(text, at, said)
}

/** Whether the `#` at this position starts an include of older versions. */
function isOldInclude(text: string, at: number, said: string): boolean {
  return said === '' && /^include(?:dir)?[ \t]/.test(text.slice(at, at + 'includedir '.length))
}

/** Splits a list at commas that are neither escaped nor quoted. */
export function splitList(text: string): readonly string[] {
  const parts = text.match(/(?:\\.|"(?:\\.|[^"\\])*"|[^,"\\]|["\\])+/gs) ?? []
  return parts.map((part) => part.replace(/^[ \t]+|[ \t]+$/g, ''))
}

export function unquoteText(text: string): string {
  const inner = /^"(.*)"$/s.exec(text)?.[1]
  return inner === undefined ? text.replace(/\\(.)/gs, '$1') : inner.replace(/\\"/g, '"')
}
