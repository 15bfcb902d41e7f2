import { formatPlainFloat, INT64_MAX, INT64_MIN, parseGoFloat } from '../govalue/index.ts'
import { endOfString, type GjsonType, unescapeJson } from './scan.ts'

/** What a path selected: the kind and the very text of the value, as it stands in the document. */
export interface GjsonResult {
  readonly type: GjsonType
  readonly raw: string
  /** Set when the search was given up because it became too expensive; nothing is known about the value then. */
  readonly exhausted?: true
}

/** The result of a path that selects nothing. */
export const missing: GjsonResult = { type: 'Null', raw: '' }

/** Tells whether something was found. A JSON null was found, too. */
export function exists(result: GjsonResult): boolean {
  return result.type !== 'Null' || result.raw !== ''
}

/** Tells whether the result is a JSON object. */
export function isObject(result: GjsonResult): boolean {
  return result.type === 'JSON' && result.raw.startsWith('{')
}

/** Tells whether the result is a JSON array. */
export function isArray(result: GjsonResult): boolean {
  return result.type === 'JSON' && result.raw.startsWith('[')
}

/** The text of a string result with its escapes decoded; empty for any other kind. */
export function stringContent(result: GjsonResult): string {
  if (result.type !== 'String') return ''
  const closed = endOfString(result.raw, 0) === result.raw.length
  const inner = result.raw.slice(1, closed ? -1 : undefined)
  return inner.includes('\\') ? unescapeJson(inner) : inner
}

/** The number of a number result, 0 for any other kind. */
export function numberContent(result: GjsonResult): number {
  return result.type === 'Number' ? readFloat(result.raw) : 0
}

/** A number's text as a float: 0 when it is no number, an infinity when it is too large. */
function readFloat(text: string): number {
  const overflow = Math.abs(Number(text)) === Infinity ? Number(text) : 0
  return parseGoFloat(text) ?? overflow
}

/** The result as text: strings bare, integers as written, other numbers without an exponent, containers as they are. */
export function asString(result: GjsonResult): string {
  switch (result.type) {
    case 'Null':
      return ''
    case 'False':
      return 'false'
    case 'True':
      return 'true'
    case 'String':
      return stringContent(result)
    case 'JSON':
      return result.raw
    case 'Number':
      return /^-?\d*$/.test(result.raw) ? result.raw : formatPlainFloat(numberContent(result))
  }
}

/** What a result says about true and false: numbers and the words `true`, `t`, `1`, `false`, `f`, `0` do, too. */
export function truthOf(result: GjsonResult): boolean | undefined {
  switch (result.type) {
    case 'True':
      return true
    case 'False':
      return false
    case 'Number':
      return numberContent(result) !== 0
    case 'String': {
      const text = stringContent(result).toLowerCase()
      if (['1', 't', 'true'].includes(text)) return true
      return ['0', 'f', 'false'].includes(text) ? false : undefined
    }
    case 'Null':
    case 'JSON':
      return undefined
  }
}

/** The result as a boolean, false where it says nothing about true and false. */
export function asBool(result: GjsonResult): boolean {
  return truthOf(result) ?? false
}

/** The result as a 64-bit float; text is read as a number, everything unreadable is 0. */
export function asFloat(result: GjsonResult): number {
  if (result.type === 'True') return 1
  if (result.type === 'String') return readFloat(stringContent(result))
  return numberContent(result)
}

const int64: IntegerRange = { min: INT64_MIN, max: INT64_MAX }
const uint64: IntegerRange = { min: 0n, max: 2n ** 64n - 1n }

interface IntegerRange {
  readonly min: bigint
  readonly max: bigint
}

/** The result as a signed 64-bit integer: fractions are cut off, values out of range take the nearest bound. */
export function asInt(result: GjsonResult): bigint {
  return asInteger(result, int64)
}

/** The result as an unsigned 64-bit integer: fractions are cut off, values out of range take the nearest bound. */
export function asUint(result: GjsonResult): bigint {
  return asInteger(result, uint64)
}

function asInteger(result: GjsonResult, range: IntegerRange): bigint {
  if (result.type === 'True') return 1n
  const text = result.type === 'String' ? stringContent(result) : result.raw
  const digits = range.min < 0n ? /^-?\d+$/ : /^\d+$/
  if (result.type !== 'String' && result.type !== 'Number') return 0n
  if (digits.test(text)) return clamp(BigInt(text), range)
  const float = asFloat(result)
  if (Number.isFinite(float)) return clamp(BigInt(Math.trunc(float)), range)
  return float > 0 ? range.max : range.min
}

function clamp(value: bigint, range: IntegerRange): bigint {
  if (value < range.min) return range.min
  return value > range.max ? range.max : value
}
