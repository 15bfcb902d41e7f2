import { INVISIBLE } from './invisible.ts'

const PLAIN_ASCII = /^[\x20-\x7e]*$/
const CI_COMMAND_HINT = /::|##/

/** GitHub runs an indented `::name::` at the start of a line, Azure `##vso[` and `##[` anywhere in it. */
const LEADING_COLONS = /^(\s*):(?=:)/
const HASH_COMMAND = /##(?=(?:vso)?\[)/gi

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  '\t': String.raw`\t`,
}

/**
 * One line of text that is safe on a terminal and in a CI log, for any input of a machine or a policy: what moves
 * the cursor, colours, reorders or hides text is shown as an escape (`\n`, `\x1b`, `\u202e`), and what a CI system would
 * run as a command loses its first sign. Printable text stays as it is, backslashes too, so this is for reading and
 * cannot be reversed.
 */
export function escapeForTerminal(text: string): string {
  const visible = PLAIN_ASCII.test(text) ? text : text.replace(INVISIBLE, escapeCharacter)
  if (!CI_COMMAND_HINT.test(visible)) return visible
  return visible.replace(LEADING_COLONS, String.raw`$1\x3a`).replace(HASH_COMMAND, String.raw`#\x23`)
}

function escapeCharacter(character: string): string {
  const short = SHORT_ESCAPES[character]
  if (short !== undefined) return short
  const code = character.codePointAt(0) ?? 0
  const digits = code.toString(16)
  if (code <= 0xff) return String.raw`\x` + digits.padStart(2, '0')
  return code <= 0xffff ? String.raw`\u` + digits.padStart(4, '0') : String.raw`\u{${digits}}`
}
