import { TemplateError } from '../errors.ts'
import { MAX_VALUE_DEPTH } from './budget.ts'
import { formatGoDuration } from './duration.ts'
import { formatGoValue } from './format.ts'
import { isInt64, tooLarge } from './int64.ts'
import { UTC } from './location.ts'
import { formatRfc3339 } from './time-format.ts'
import { tagGoValue } from './type-name.ts'
import type { GoValue } from './value.ts'

/**
 * Converts host data (parsed YAML or JSON, facts). Safe integers become ints, other numbers floats, `undefined` nil, objects maps
 * of their own enumerable string keys, `Date` a UTC time. Throws a `TemplateError` for integers beyond int64, functions, symbols
 * and data that is cyclic or deeper than `MAX_VALUE_DEPTH`.
 */
export function fromPlain(data: unknown): GoValue {
  return fromPlainAt(data, 0)
}

function fromPlainAt(data: unknown, depth: number): GoValue {
  switch (typeof data) {
    case 'string':
    case 'boolean':
      return data
    case 'bigint':
      if (!isInt64(data)) throw new TemplateError(tooLarge(data))
      return data
    case 'number':
      return Number.isSafeInteger(data) ? BigInt(data) : data
    case 'undefined':
      return null
    case 'object':
      return data === null ? null : fromObject(data, depth)
    default:
      throw new TemplateError(`cannot use a ${typeof data} as template data`)
  }
}

function fromObject(data: object, depth: number): GoValue {
  if (depth > MAX_VALUE_DEPTH) throw new TemplateError('template data is cyclic or too deep')
  if (Array.isArray(data)) return data.map((item: unknown) => fromPlainAt(item, depth + 1))
  if (data instanceof Uint8Array) return data
  if (data instanceof Date) return { kind: 'time', unixNanoseconds: BigInt(data.getTime()) * 1_000_000n, location: UTC }
  const entries: Iterable<[unknown, unknown]> = data instanceof Map ? data : Object.entries(data)
  const map = new Map<GoValue, GoValue>()
  for (const [key, value] of entries) map.set(fromPlainAt(key, depth + 1), fromPlainAt(value, depth + 1))
  return map
}

/**
 * Converts to plain data: ints become numbers if exact and stay bigints otherwise, maps become objects with own keys only
 * (non-string keys are printed), durations and times text, `[]byte` stays. Throws a `TemplateError` for functions.
 */
export function toPlain(value: GoValue): unknown {
  return toPlainAt(value, 0)
}

function toPlainAt(input: GoValue, depth: number): unknown {
  if (depth > MAX_VALUE_DEPTH) throw new TemplateError('template value is too deep')
  const tagged = tagGoValue(input)
  switch (tagged.kind) {
    case 'nil':
    case 'bool':
    case 'float':
    case 'string':
    case 'bytes':
      return tagged.value
    case 'int': {
      const number = Number(tagged.value)
      return Number.isSafeInteger(number) ? number : tagged.value
    }
    case 'list':
      return tagged.value.map((item) => toPlainAt(item, depth + 1))
    case 'map':
      // fromEntries defines own properties, so a key such as __proto__ stays data.
      return Object.fromEntries(
        [...tagged.value].map(([key, item]) => [formatGoValue(key), toPlainAt(item, depth + 1)]),
      )
    case 'duration':
      return formatGoDuration(tagged.value)
    case 'time':
      return formatRfc3339(tagged.value)
    case 'location':
    case 'enum':
      return tagged.value.name
    case 'function':
      throw new TemplateError('cannot use a function as data')
  }
}
