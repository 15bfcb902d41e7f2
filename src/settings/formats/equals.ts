import type { Format } from './format.ts'
import { lineFormat } from './lines.ts'

/** `key = value`; a key alone has an empty value. */
export const equals: Format = lineFormat({
  name: 'equals',
  assignment: /^(?<lead>\s*)(?<key>[^\s=#][^=]*?)(?<between>[ \t]*=[ \t]*|(?=\s*$))(?<value>.*?)(?<tail>\s*)$/,
  comment: /^\s*#/,
  bare: true,
  between: ' = ',
})
