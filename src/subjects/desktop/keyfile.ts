import { unknown } from '../../model/observation.ts'
import { isBlank, withBlanksOfC } from '../../settings/blanks.ts'
import type { Format } from '../../settings/formats/format.ts'
import { lineFormat } from '../../settings/formats/lines.ts'

const lines: Format = lineFormat({
  name: 'keyfile',
  assignment: /^(?<lead>\s*)(?<key>[^\s=#[]+)(?<between>\s*=\s*)(?<value>.*?)(?<tail>\s*)$/,
  comment: /^\s*#/,
  section: /^\s*\[(?<section>[^\]]*)\]\s*$/,
  // An integer without a type is an int32.
  read: (value) => value.replace(/^int32[ \t\f\r]+/, '').replace(/^([a-z]+\d*)[ \t\f\r]+/, '$1 '),
  write: toGvariant,
  between: '=',
})

/** Keyfiles of dconf. A single line that GLib rejects makes dconf keep the database of before. @see g_key_file_load_from_data() */
export const keyfile: Format = {
  ...lines,
  parse(text, file) {
    const strange = text.split('\n').findIndex((line) => !isTaken(line))
    const head = text.split('\n').find((line) => !isBlank(line) && !/^[ \t\f\r]*#/.test(line))
    if (head !== undefined && !/^[ \t\f\r]*\[/.test(head))
      return unknown('invalid', `${file} does not start with a group`)
    return strange < 0 ? lines.parse(text, file) : unknown('invalid', `${file}:${strange + 1}: dconf rejects this line`)
  },
}

function isTaken(line: string): boolean {
  const [, text = ''] = /^[ \t\f\r]*(.*)$/s.exec(line) ?? []
  if (text === '' || text.startsWith('#')) return true
  if (/[\v\0]/.test(text)) return false
  if (/^\[(?!\/)(?:(?!\/\/|\/\])[^\p{Cc}[\]])+\][ \t\r]*$/u.test(text)) return true
  const [, key = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? []
  return /^[^/[\]]+?(?:\[[\w.@-]*\])?[ \t\f\r]*$/.test(key) && isGvariant(value)
}

const COUNT = String.raw`(?:0|[1-9]\d{0,8})`
const BLANK = String.raw`[ \t\f\r]*`
const GAP = String.raw`[ \t\f\r]+`
const ITEM = String.raw`${BLANK}(?:s|true|false|byte${GAP}\d\d?|u?int(?:16|32|64)${GAP}(?:0|[1-9]\d{0,3})|(?:(?:u?int(?:32|64)|double)${GAP})?${COUNT}|(?:(?:int(?:32|64)|double)${GAP})?-?${COUNT}(?:\.\d+)?)${BLANK}`
const CONTAINER = new RegExp(
  String.raw`\[(?:${ITEM},)*${ITEM}\]|\((?:${ITEM},)*(?:${ITEM})?\)|\{(?:${ITEM}:${ITEM},)*${ITEM}:${ITEM}\}|<${ITEM}>|@a[a-z(){}]+${GAP}(?:\[${BLANK}\]|\{${BLANK}\})`,
  'g',
)

/** Whether a value certainly is one in the text format of GVariant. @see g_variant_parse() */
function isGvariant(written: string): boolean {
  let text = written.replace(/'(?:[^'\\]|\\['"\\nt])*'|"(?:[^"\\]|\\['"\\nt])*"/g, 's')
  for (let before = ''; before !== text;) {
    before = text
    text = text.replace(CONTAINER, 's')
  }
  return new RegExp(`^${ITEM}$`).test(text)
}

/** Writes a text as GVariant: words and paths are quoted; numbers, booleans, lists and quoted values are not. */
function toGvariant(value: string): string | undefined {
  if (
    withBlanksOfC(/^(?:true|false|nothing|[+-]?\d+(?:\.\d+)?|(?:u?int(?:16|32|64)|byte|double) \S+|['"[({<@].*)$/).test(
      value,
    )
  )
    return value
  return `'${value.replace(/['\\]/g, '\\$&')}'`
}
