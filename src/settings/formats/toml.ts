import { withBlanksOfC } from '../blanks.ts'
import type { Format } from './format.ts'
import { lineFormat } from './lines.ts'

/**
 * TOML with one assignment per line: `key = value` below `[table]`. Multi-line values, arrays of tables and inline
 * tables are not supported, so their content is unknown.
 */
export const toml: Format = lineFormat({
  name: 'toml',
  assignment:
    /^(?<lead>\s*)(?<key>[A-Za-z0-9_-]+)(?<between>\s*=\s*)(?<value>"(?:[^"\\]|\\.)*"|'[^']*'|\[[^[\]\n#]*\]|[\w.:+-]+)(?<tail>\s*(?:#.*)?)$/,
  comment: /^\s*#/,
  section: /^\s*\[(?<section>[A-Za-z0-9_.-]+)\]\s*(?:#.*)?$/,
  opaque: { pattern: /"""|'''/, reason: 'multi-line strings are not supported' },
  strange: 'only keys with a single-line value are supported',
  read,
  write: (value) => (isBare(value) ? value : JSON.stringify(value)),
  between: ' = ',
})

function isBare(value: string): boolean {
  return /^(?:true|false|[+-]?(?:0|[1-9]\d*)(?:\.\d+)?)$/.test(value)
}

/** Joins array items with spaces. */
function read(written: string): string | { readonly unclear: string } {
  if (written.startsWith("'")) return written.slice(1, -1)
  if (written.startsWith('"')) return unescapeText(written) ?? { unclear: `unsupported value ${written}` }
  if (!written.startsWith('[')) return written
  const items = written.slice(1, -1).match(withBlanksOfC(/"(?:[^"\\]|\\.)*"|'[^']*'|[^\s,]+/g)) ?? []
  return items.map((item) => (/^["']/.test(item) ? item.slice(1, -1) : item)).join(' ')
}

/** Decodes the escapes that TOML and JSON share; undefined for others. */
function unescapeText(written: string): string | undefined {
  return /\\[^btnfr"\\u]|\\U/.test(written) ? undefined : String(JSON.parse(written))
}
