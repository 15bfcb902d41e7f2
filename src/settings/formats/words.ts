import type { Format } from './format.ts'
import { lineFormat } from './lines.ts'

/** `key = value`, `key value` or `key` alone, with comments after `#` anywhere, as in libpwquality and pam_faillock. */
export const words: Format = lineFormat({
  name: 'words',
  assignment: /^(?<lead>\s*)(?=[^\s#])(?<key>[^\s=#]*)(?<between>\s*=?\s*)(?<value>[^#]*?)(?<tail>\s*(?:#.*)?)$/,
  comment: /^\s*#/,
  longest: 1022,
  write: (value) => (/[#]|^[\s=]|\s$/.test(value) ? undefined : value),
  bare: true,
  between: ' = ',
})
