import { TemplateError } from '../errors.ts'
import type { Budget } from './budget.ts'
import { isInt64 } from './int64.ts'
import { toWellFormed } from './utf8.ts'
import type { GoValue } from './value.ts'

/** Types of JSON numbers: all floats (Go's default), or ints if written without `.` and `e`. */
export interface JsonDecodeOptions {
  readonly numbers?: 'float' | 'spelling'
  /** Counts every value as a produced element. */
  readonly budget?: Budget
}

const MAX_JSON_DEPTH = 500
const WHITESPACE = /[ \t\r\n]*/y
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
// oxlint-disable-next-line no-control-regex -- JSON forbids raw control characters in strings
const STRING = /"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y

interface Reader {
  readonly text: string
  readonly numbers: 'float' | 'spelling'
  readonly budget: Budget | undefined
  offset: number
}

/**
 * Parses JSON strictly (RFC 8259). The last of duplicate keys wins; integers beyond int64 become floats; lone surrogate escapes
 * become U+FFFD. Throws a `TemplateError` without an offset, because the text is not template source.
 */
export function decodeGoJson(text: string, options: JsonDecodeOptions = {}): GoValue {
  const reader: Reader = { text, numbers: options.numbers ?? 'float', budget: options.budget, offset: 0 }
  const value = readValue(reader, 0)
  skipWhitespace(reader)
  if (reader.offset < text.length) throw unexpectedCharacter(reader, 'after top-level value')
  return value
}

function unexpectedCharacter(reader: Reader, where: string): TemplateError {
  const point = reader.text.codePointAt(reader.offset)
  if (point === undefined) return new TemplateError('unexpected end of JSON input')
  return new TemplateError(`invalid character ${quoteCharacter(String.fromCodePoint(point))} ${where}`)
}

function quoteCharacter(character: string): string {
  if (character === "'") return String.raw`'\''`
  return `'${JSON.stringify(character).slice(1, -1).replace('\\"', '"')}'`
}

function skipWhitespace(reader: Reader): void {
  WHITESPACE.lastIndex = reader.offset
  WHITESPACE.test(reader.text)
  reader.offset = WHITESPACE.lastIndex
}

function match(reader: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.offset
  const found = pattern.exec(reader.text)?.[0]
  if (found !== undefined) reader.offset += found.length
  return found
}

function accept(reader: Reader, character: string): boolean {
  skipWhitespace(reader)
  if (reader.text[reader.offset] !== character) return false
  reader.offset += 1
  return true
}

const LITERALS: readonly (readonly [string, GoValue])[] = [
  ['null', null],
  ['true', true],
  ['false', false],
]

function readValue(reader: Reader, depth: number): GoValue {
  if (depth > MAX_JSON_DEPTH) throw new TemplateError('exceeded max depth')
  reader.budget?.produce(1)
  if (accept(reader, '{')) return readObject(reader, depth)
  if (accept(reader, '[')) return readArray(reader, depth)
  if (reader.text[reader.offset] === '"') return readString(reader, 'in string literal')
  for (const [spelling, value] of LITERALS) {
    if (reader.text.startsWith(spelling, reader.offset)) {
      reader.offset += spelling.length
      return value
    }
  }
  const number = match(reader, NUMBER)
  if (number === undefined) throw unexpectedCharacter(reader, 'looking for beginning of value')
  return toNumber(number, reader)
}

function toNumber(spelling: string, reader: Reader): GoValue {
  if (reader.numbers === 'spelling' && !/[.eE]/.test(spelling) && spelling.length <= 20) {
    const whole = BigInt(spelling)
    if (isInt64(whole)) return whole
  }
  const value = Number(spelling)
  if (!Number.isFinite(value))
    throw new TemplateError(`json: cannot unmarshal number ${spelling} into Go value of type float64`)
  return value
}

function readString(reader: Reader, where: string): string {
  const found = match(reader, STRING)
  if (found === undefined)
    throw reader.text[reader.offset] === '"' ? brokenString(reader) : unexpectedCharacter(reader, where)
  const text: unknown = JSON.parse(found)
  return toWellFormed(String(text))
}

function brokenString(reader: Reader): TemplateError {
  // oxlint-disable-next-line no-control-regex -- JSON forbids raw control characters in strings
  const valid = /"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y
  match(reader, valid)
  if (reader.text[reader.offset] !== '\\') return unexpectedCharacter(reader, 'in string literal')
  reader.offset += 1
  if (reader.text[reader.offset] !== 'u') return unexpectedCharacter(reader, 'in string escape code')
  reader.offset += 1
  match(reader, /[0-9a-fA-F]*/y)
  return unexpectedCharacter(reader, String.raw`in \u hexadecimal character escape`)
}

function readArray(reader: Reader, depth: number): GoValue {
  const items: GoValue[] = []
  if (accept(reader, ']')) return items
  for (;;) {
    items.push(readValue(reader, depth + 1))
    if (accept(reader, ']')) return items
    if (!accept(reader, ',')) throw unexpectedCharacter(reader, 'after array element')
  }
}

function readObject(reader: Reader, depth: number): GoValue {
  const map = new Map<GoValue, GoValue>()
  if (accept(reader, '}')) return map
  for (;;) {
    skipWhitespace(reader)
    const key = readString(reader, 'looking for beginning of object key string')
    if (!accept(reader, ':')) throw unexpectedCharacter(reader, 'after object key')
    map.set(key, readValue(reader, depth + 1))
    if (accept(reader, '}')) return map
    if (!accept(reader, ',')) throw unexpectedCharacter(reader, 'after object key:value pair')
  }
}
