/** A line of sudoers as sudo reads it: continued ones joined, and without its comment. */
export interface SudoersLine {
  readonly text: string
  /** The same with `_` for every character that is escaped or between quotes. */
  readonly shape: string
  /** Of its first part, from 1. */
  readonly line: number
}

/** A backslash, and blanks perhaps, before the end of a line, and what begins the next one. */
const CONTINUED = /\\[ \t]*\r?\n[ \t]*/y

/** What is taken whole: an escaped character, blanks, and anything else by itself. */
const PART = /\\[^]|[ \t]+|[^]/y

/** What stands before a command: only there a quotation mark is one. */
const BEFORE_COMMAND = /[=,:)!\s]/

/** The lines that say something. A comment is never continued. @see toke.l of sudo 1.9 */
export function sudoersLines(text: string): readonly SudoersLine[] {
  const lines: SudoersLine[] = []
  let [said, shape, number, start] = ['', '', 1, 1]
  let isQuoted = false
  let isCommand = false
  const end = (): void => {
    const line = trimmed(said)
    if (line !== '') lines.push({ text: line, shape: trimmed(shape), line: start })
    said = ''
    shape = ''
    isQuoted = false
    isCommand = false
  }
  for (let at = 0; at < text.length;) {
    CONTINUED.lastIndex = at
    if (CONTINUED.test(text)) {
      at = CONTINUED.lastIndex
      number += 1
      said += isQuoted ? '' : ' '
      shape += isQuoted ? '' : ' '
      continue
    }
    PART.lastIndex = at
    const [part = ''] = PART.exec(text) ?? []
    at += part.length
    if (part === '\n') {
      end()
      number += 1
      start = number
    } else if (part === '#' && !isQuoted && !/^-?\d/.test(text.slice(at, at + 2)) && !isOldInclude(text, at, said)) {
      const next = text.indexOf('\n', at)
      at = next === -1 ? text.length : next
    } else {
      if (part === '"' && !isCommand) isQuoted = !isQuoted
      if (part === '/' && !isQuoted && !said.startsWith('Defaults') && BEFORE_COMMAND.test(said.slice(-1)))
        isCommand = true
      if (/^[,:=]$/.test(part)) isCommand = false
      said += part
      shape += isQuoted || part.startsWith('\\') ? '_' : part
    }
  }
  end()
  return lines
}

function trimmed(text: string): string {
  return text.replace(/^[ \t]+|[ \t\r]+$/g, '')
}

/** Whether the `#` before this place begins an include as older versions have it. */
function isOldInclude(text: string, at: number, said: string): boolean {
  return said === '' && /^include(?:dir)?[ \t]/.test(text.slice(at, at + 'includedir '.length))
}

/** The parts of a list between commas that are neither escaped nor between quotes. */
export function splitList(text: string): readonly string[] {
  const parts = text.match(/(?:\\.|"(?:\\.|[^"\\])*"|[^,"\\]|["\\])+/gs) ?? []
  return parts.map((part) => part.replace(/^[ \t]+|[ \t]+$/g, ''))
}

/** A word without its quotes and backslashes. */
export function unquoted(text: string): string {
  const inner = /^"(.*)"$/s.exec(text)?.[1]
  return inner === undefined ? text.replace(/\\(.)/gs, '$1') : inner.replace(/\\"/g, '"')
}
