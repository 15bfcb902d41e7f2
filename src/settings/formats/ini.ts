import type { Format } from './format.ts'
import { lineFormat } from './lines.ts'

/** `key=value` below `[section]`; `#` and `;` start comments where a line starts. */
export const ini: Format = lineFormat({
  name: 'ini',
  assignment: /^(?<lead>\s*)(?<key>[^\s=#;[][^=]*?)(?<between>[ \t]*=[ \t]*|(?=\s*$))(?<value>.*?)(?<tail>\s*)$/,
  comment: /^\s*[#;]/,
  section: /^\s*\[(?<section>[^\]]*)\]\s*$/,
  ignoresMark: true,
  between: '=',
})
