import type { Format } from './format.ts'
import { lineFormat } from './lines.ts'

/** `KEY value`, separated by spaces or tabs; a key alone has an empty value. */
export const space: Format = lineFormat({
  name: 'space',
  assignment: /^(?<lead>\s*)(?<key>[^\s#]\S*)(?<between>[ \t]*)(?<value>.*?)(?<tail>\s*)$/,
  comment: /^\s*#/,
  bare: true,
  between: ' ',
})
