import { TemplateError } from '../errors.ts'
import { MAX_VALUE_DEPTH, type GoValue } from '../govalue/index.ts'
import { entriesOf } from './document.ts'
import { isObject, numberContent, stringContent, type GjsonResult } from './result.ts'

const UINT64_MAX = 2n ** 64n - 1n
const INT64_MIN = -(2n ** 63n)

/**
 * Value that `lookup` returns for a result. Integers that fit into 64 bits are ints at every depth, unless the result itself is a
 * number with a point; other numbers are floats. The first of duplicate keys is used; a missing result is nil. Throws a
 * `TemplateError` for values nested too deeply.
 */
export function toGoValue(result: GjsonResult): GoValue {
  if (result.type === 'Number' && result.raw.includes('.')) return numberContent(result)
  const value = convert(result, 0)
  // For `1e-7`: CCM parses a number without a point as an int.
  return typeof value === 'number' && Math.abs(value) < 2 ** 53 ? BigInt(Math.trunc(value)) : value
}

function convert(result: GjsonResult, depth: number): GoValue {
  if (depth > MAX_VALUE_DEPTH) throw new TemplateError(`values are nested deeper than ${MAX_VALUE_DEPTH} levels`)
  switch (result.type) {
    case 'Null':
      return null
    case 'False':
      return false
    case 'True':
      return true
    case 'String':
      return stringContent(result)
    case 'Number':
      return convertNumber(result)
    case 'JSON':
      return isObject(result) ? convertObject(result, depth) : entriesOf(result).map((e) => convert(e.value, depth + 1))
  }
}

function convertNumber(result: GjsonResult): GoValue {
  // GJSON also parses nan and inf, which are not JSON and have no value here.
  if (/^[+-]?[in]/i.test(result.raw)) return null
  const float = numberContent(result)
  if (!Number.isInteger(float)) return float
  const whole = /^-?\d+$/.test(result.raw) ? BigInt(result.raw) : BigInt(float)
  return whole >= INT64_MIN && whole <= UINT64_MAX ? whole : float
}

function convertObject(object: GjsonResult, depth: number): GoValue {
  const map = new Map<GoValue, GoValue>()
  for (const { key, value } of entriesOf(object)) {
    const name = stringContent(key)
    if (!map.has(name)) map.set(name, convert(value, depth + 1))
  }
  return map
}
