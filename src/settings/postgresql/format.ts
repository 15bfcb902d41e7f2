import type { Format } from '../formats/format.ts'
import { lineFormat } from '../formats/lines.ts'

/** An unquoted number or word. A word with one dot between two names is invalid. @see guc-file.l */
const UNQUOTED =
  /^(?:[-+]?(?:\d+|0x[\da-fA-F]+)[a-zA-Z]*|[-+]?\d*\.\d*(?:[Ee][-+]?\d+)?|[A-Za-z_\u0080-\uFFFF][\w\u0080-\uFFFF._:/-]*)$/
const QUALIFIED = /^[A-Za-z_\u0080-\uFFFF][\w\u0080-\uFFFF]*\.[A-Za-z_\u0080-\uFFFF][\w\u0080-\uFFFF]*$/

const REJECTED = 'PostgreSQL rejects this line'

/** `name = value`, `name value` or `name 'value'`, with `#` comments. */
export const postgresqlFormat: Format = lineFormat({
  name: 'postgresql',
  assignment:
    /^(?<lead>\s*)(?<key>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?)(?<between>\s*=\s*|\s+|(?=['+]))(?<value>'(?:[^'\\]|''|\\.)*'|[^\s#'=]+)(?<tail>\s*(?:#.*)?)$/,
  comment: /^\s*#/,
  strange: REJECTED,
  opaque: { pattern: /^(?:[^'#\v\f]|'(?:[^'\\]|''|\\.)*')*[\v\f]/, reason: REJECTED },
  read(written) {
    if (written.startsWith("'")) return unquoteValue(written)
    return UNQUOTED.test(written) && !QUALIFIED.test(written)
      ? written
      : { unclear: `PostgreSQL rejects ${written} without quotes` }
  },
  write: (value) => (UNQUOTED.test(value) && !QUALIFIED.test(value) ? value : quoteValue(value)),
  between: ' = ',
})

function quoteValue(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/**
 * `''` is a quote, and a backslash starts an escape as in C, with up to three octal digits for a byte. A NUL byte ends
 * the value.
 */
function unquoteValue(written: string): string {
  const parts = written.slice(1, -1).matchAll(/''|\\([0-7]{1,3})|\\(.)|[^'\\]+/gs)
  const bytes = Array.from(parts, ([whole, octal, letter]) => {
    if (octal !== undefined) return Buffer.from([Number.parseInt(octal, 8) & 0xff])
    return Buffer.from(letter === undefined ? whole.replace("''", "'") : (ESCAPES[letter] ?? letter))
  })
  return Buffer.concat(bytes).toString().replace(/\0.*/s, '')
}
