import { INVISIBLE } from '../../../model/invisible.ts'

export type YamlScalar = string | number | boolean | null

/** A mapping. Its keys are driftgate's, never text of the machine; undefined members are left out. */
export interface YamlMap {
  readonly [name: string]: YamlScalar | YamlMap | readonly (YamlScalar | YamlMap)[] | undefined
}

const LONE_SURROGATE = /\p{Cs}/gu
const LOG_COMMAND = /##(?=(?:vso)?\[)/gi

/**
 * The lines of a mapping in block style: one member or item per line, texts in double quotes with the escapes that JSON
 * and YAML share, so that no text is misinterpreted. Characters that YAML cannot represent are shown as `\udce9`.
 * @see https://yaml.org/spec/1.2.2/#731-double-quoted-style
 */
export function yamlLines(map: YamlMap): readonly string[] {
  return Object.entries(map).flatMap(([name, value]) => (value === undefined ? [] : member(name, value)))
}

function member(name: string, value: Exclude<YamlMap[string], undefined>): readonly string[] {
  if (isScalar(value)) return [`${name}: ${scalar(value)}`]
  const isList = isListOf(value)
  const lines = isList ? value.flatMap(item) : yamlLines(value)
  return lines.length === 0 ? [`${name}: ${isList ? '[]' : '{}'}`] : [`${name}:`, ...lines.map((line) => `  ${line}`)]
}

function item(value: YamlScalar | YamlMap): readonly string[] {
  // Perl's harness treats a word with a colon as the first member of a mapping, even in quotes.
  if (isScalar(value)) return [`- ${scalar(value).replace(/^(\S+\s*):(?=\s|$)/, String.raw`$1\u003a`)}`]
  const [first = '{}', ...others] = yamlLines(value)
  return [`- ${first}`, ...others.map((line) => `  ${line}`)]
}

function isScalar(value: YamlMap[string]): value is YamlScalar {
  return typeof value !== 'object' || value === null
}

function isListOf(value: YamlMap[string]): value is readonly (YamlScalar | YamlMap)[] {
  return Array.isArray(value)
}

function scalar(value: YamlScalar): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  return JSON.stringify(value.replace(LONE_SURROGATE, escape))
    .replace(INVISIBLE, escape)
    .replace(LOG_COMMAND, String.raw`#\u0023`)
}

function escape(character: string): string {
  const digits = (character.codePointAt(0) ?? 0).toString(16)
  return digits.length > 4 ? String.raw`\U` + digits.padStart(8, '0') : String.raw`\u` + digits.padStart(4, '0')
}
