import type { Format } from './format.ts'
import { lineFormat } from './lines.ts'

/** Java properties: `key=value`, `key: value` or `key value`, with backslashes to continue lines. */
export const properties: Format = lineFormat({
  name: 'properties',
  assignment: /^(?<lead>\s*)(?<key>(?:[^\s=:#!\\]|\\.)+)(?<between>\s*[=:]\s*|[ \t]+|(?=$))(?<value>.*?)(?<tail>\r?)$/,
  comment: /^\s*[#!]/,
  continued: (line) => (/(?<!\\)(?:\\\\)*\\$/.test(line) ? line.slice(0, -1) : undefined),
  dropsIndent: true,
  readKey: (written) => written.replaceAll(/\\([^u])/g, '$1'),
  read: (written) => (written.includes('\\') ? { unclear: `the value of ${written} is unknown` } : written),
  write: (value) => (value.includes('\\') || value !== value.trimStart() ? undefined : value),
  between: '=',
})
