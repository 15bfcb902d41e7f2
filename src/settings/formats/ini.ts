import type { Format } from './format.ts'
import { lineFormat } from './lines.ts'

/** `key=value` below `[section]`; a line that starts with `#` or `;` is a comment. */
export const ini: Format = lineFormat({
  name: 'ini',
  assignment: /^(?<lead>\s*)(?<key>[^\s=#;[][^=]*?)(?<between>[ \t]*=[ \t]*|(?=\s*$))(?<value>.*?)(?<tail>\s*)$/,
  comment: /^\s*[#;]/,
  section: /^\s*\[(?<section>[^\]]*)\]\s*$/,
  ignoresMark: true,
  between: '=',
})
