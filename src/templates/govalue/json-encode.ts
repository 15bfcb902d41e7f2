import { BudgetError, TemplateError } from '../errors.ts'
import { Budget, MAX_VALUE_DEPTH } from './budget.ts'
import { formatNonFinite } from './format-float.ts'
import { formatGoValue } from './format.ts'
import { NIL_LIST } from './nil-list.ts'
import { formatRfc3339 } from './time-format.ts'
import { goTypeName, tagGoValue } from './type-name.ts'
import { compareStrings, toWellFormed } from './utf8.ts'
import type { GoValue } from './value.ts'

/** How JSON is written. */
export interface JsonEncodeOptions {
  /** Indentation of one level, such as two spaces; one line if absent. */
  readonly indent?: string
  /** `html` (Go's default) escapes `<`, `>`, `&`, U+2028 and U+2029; `plain` is `SetEscapeHTML(false)`. */
  readonly escape?: 'html' | 'plain'
  /** Counts the work; the default limits if absent. */
  readonly budget?: Budget
}

interface Writer {
  readonly indent: string
  readonly escape: 'html' | 'plain'
  readonly budget: Budget
}

/**
 * Writes a value as Go's `json.Marshal` (or `MarshalIndent`) does: keys sorted by bytes, floats as JavaScript writes
 * them, `[]byte` as base64, durations as nanoseconds, times as RFC 3339. Throws `TemplateError` for NaN, the infinities
 * and functions.
 */
export function encodeGoJson(value: GoValue, options: JsonEncodeOptions = {}): string {
  const writer = {
    indent: options.indent ?? '',
    escape: options.escape ?? 'html',
    budget: options.budget ?? new Budget(),
  }
  return encodeAt(value, writer, 0)
}

function encodeAt(input: GoValue, writer: Writer, depth: number): string {
  writer.budget.step()
  if (depth > MAX_VALUE_DEPTH) throw new BudgetError(`values are nested deeper than ${MAX_VALUE_DEPTH} levels`)
  const tagged = tagGoValue(input)
  switch (tagged.kind) {
    case 'nil':
      return 'null'
    case 'bool':
    case 'int':
      return String(tagged.value)
    case 'float':
      return encodeFloat(tagged.value)
    case 'string':
      return encodeText(tagged.value, writer)
    case 'bytes':
      writer.budget.text(Math.ceil(tagged.value.length / 3) * 4)
      return `"${Buffer.from(tagged.value).toString('base64')}"`
    case 'list':
      return encodeItems(tagged.value, writer, depth)
    case 'map':
      return encodeEntries(tagged.value, writer, depth)
    case 'duration':
      return tagged.value.nanoseconds.toString()
    case 'time':
      return `"${formatRfc3339(tagged.value)}"`
    case 'location':
      return '{}'
    case 'enum':
      return tagged.value.value.toString()
    case 'function':
      throw new TemplateError(`json: unsupported type: ${goTypeName(tagged.value)}`)
  }
}

/** Escapes make text up to six times longer, so the output is counted, not the input. */
function encodeText(text: string, { escape, budget }: Writer): string {
  const encoded = encodeGoJsonString(text, escape)
  budget.text(encoded.length)
  return encoded
}

function encodeFloat(value: number): string {
  const special = formatNonFinite(value)
  if (special !== undefined) throw new TemplateError(`json: unsupported value: ${special}`)
  return Object.is(value, -0) ? '-0' : String(value)
}

function encodeItems(items: readonly GoValue[], writer: Writer, depth: number): string {
  if (items === NIL_LIST) return 'null'
  return wrap(
    '[]',
    items.map((item) => encodeAt(item, writer, depth + 1)),
    writer,
    depth,
  )
}

function encodeEntries(map: ReadonlyMap<GoValue, GoValue>, writer: Writer, depth: number): string {
  const separator = writer.indent === '' ? ':' : ': '
  const members = [...map]
    .map(([key, value]): [string, GoValue] => [formatGoValue(key, writer.budget), value])
    .toSorted(([a], [b]) => compareStrings(a, b))
    .map(([key, value]) => encodeText(key, writer) + separator + encodeAt(value, writer, depth + 1))
  return wrap('{}', members, writer, depth)
}

function wrap(brackets: '[]' | '{}', members: readonly string[], writer: Writer, depth: number): string {
  const open = brackets.slice(0, 1)
  const close = brackets.slice(1)
  if (members.length === 0) return brackets
  if (writer.indent === '') return open + members.join(',') + close
  const inner = `\n${writer.indent.repeat(depth + 1)}`
  writer.budget.text(inner.length * members.length)
  return `${open}${inner}${members.join(`,${inner}`)}\n${writer.indent.repeat(depth)}${close}`
}

const UNSAFE_HTML = /[<>&\u2028\u2029]/g
const UNSAFE_PLAIN = /[\u2028\u2029]/g

/** A JSON string with Go's escapes (those of Go 1.22 and later), quotes included. */
export function encodeGoJsonString(text: string, escape: 'html' | 'plain' = 'html'): string {
  return JSON.stringify(toWellFormed(text)).replace(escape === 'html' ? UNSAFE_HTML : UNSAFE_PLAIN, escapeUnit)
}

function escapeUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
