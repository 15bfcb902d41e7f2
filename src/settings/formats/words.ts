import type { Format } from './format.ts'
import { lineFormat } from './lines.ts'

/** `key = value`, `key value` or `key` alone, with a comment behind `#` anywhere, as libpwquality and pam_faillock read it. */
export const words: Format = lineFormat({
  name: 'words',
  assignment: /^(?<lead>\s*)(?<key>[^\s=#]+)(?<between>[ \t]*=?[ \t]*)(?<value>[^#]*?)(?<tail>\s*(?:#.*)?)$/,
  comment: /^\s*#/,
  write: (value) => (/[#]|^[\s=]|\s$/.test(value) ? undefined : value),
  bare: true,
  between: ' = ',
})
