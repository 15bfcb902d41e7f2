import { INVISIBLE } from './invisible.ts'

const PLAIN_ASCII = /^[\x20-\x7e]*$/
const CI_COMMAND_HINT = /::|##/

/** GitHub runs `::name::` at the start of a line, even if indented; Azure runs `##vso[` and `##[` anywhere in a line. */
const LEADING_COLONS = /^(\s*):(?=:)/
const HASH_COMMAND = /##(?=(?:vso)?\[)/gi

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  '\t': String.raw`\t`,
}

/**
 * Escapes one line of untrusted text for a terminal or a CI log: characters that move the cursor, colour, reorder or
 * hide text become escapes (`
 * `, `\x1b`, `\u202e`), and the first character of a CI command is escaped. Printable text, including backslashes, is
 * unchanged, so the result cannot be reversed.
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
