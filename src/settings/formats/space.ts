import type { Format } from './format.ts'
import { lineFormat } from './lines.ts'

/** `KEY value`, parted by spaces or tabs; a key alone has the empty value. */
export const space: Format = lineFormat({
  name: 'space',
  assignment: /^(?<lead>\s*)(?<key>[^\s#]\S*)(?<between>[ \t]*)(?<value>.*?)(?<tail>\s*)$/,
  comment: /^\s*#/,
  bare: true,
  between: ' ',
})
