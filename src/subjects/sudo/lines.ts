/** A line of sudoers as sudo reads it: continued ones joined, and without its comment. */
export interface SudoersLine {
  readonly text: string
  /** Of its first part, from 1. */
  readonly line: number
}

/** The lines that say something. */
export function sudoersLines(text: string): readonly SudoersLine[] {
  const lines: SudoersLine[] = []
  const physical = text.split('\n')
  for (let index = 0; index < physical.length; index++) {
    const start = index
    let joined = physical[index] ?? ''
    while (joined.endsWith('\\') && index + 1 < physical.length)
      joined = `${joined.slice(0, -1)} ${physical[(index += 1)]}`
    const said = withoutComment(joined).trim()
    if (said !== '') lines.push({ text: said, line: start + 1 })
  }
  return lines
}

/** A `#` starts a comment, unless it is escaped, between quotes, the id of a user or group, or an include. */
function withoutComment(text: string): string {
  if (/^\s*#include(?:dir)?\s/.test(text)) return text
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '\\') at += 1
    else if (character === '"') isQuoted = !isQuoted
    else if (character === '#' && !isQuoted && !/^#-?\d/.test(text.slice(at))) return text.slice(0, at)
  }
  return text
}

/** The parts of a list between commas that are neither escaped nor between quotes. */
export function splitList(text: string): readonly string[] {
  const parts = text.match(/(?:\\.|"(?:\\.|[^"\\])*"|[^,"\\]|["\\])+/gs) ?? []
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

/** A word without its quotes and backslashes. */
export function unquoted(text: string): string {
  const inner = /^"(.*)"$/s.exec(text)?.[1]
  return inner === undefined ? text.replace(/\\(.)/gs, '$1') : inner.replace(/\\"/g, '"')
}
