import { TemplateError } from '../errors.ts'
import {
  countBytes,
  decodeUtf8,
  encodeUtf8,
  isAscii,
  isGoBytes,
  isGoList,
  isGoMap,
  listMethod,
  memberOf,
  type Budget,
  type GoValue,
} from '../govalue/index.ts'
import { toWholeNumber } from './operators.ts'
import { isSpecial, jetTypeName, type JetBuiltin, type JetCaught, type JetValue } from './values.ts'

/**
 * `value[index]` and, with a name as index, `value.name`: the element of a list, the byte of a string, the value of a map. A
 * missing key returns `undefined`. Throws a `TemplateError` for values that cannot be indexed.
 */
export function resolveIndex(value: JetValue, index: JetValue, budget: Budget): JetValue {
  if (value === undefined) throw new TemplateError(`there is no field or method '${describeIndex(index)}' in <invalid>`)
  if (value === null) throw new TemplateError(`nil pointer evaluating interface {}.${describeIndex(index)}`)
  if (isSpecial(value)) {
    if (value.kind === 'caught' && index === 'Error') return errorMethod(value)
  } else {
    if (typeof value === 'string') return byteAt(value, index, budget)
    if (isGoMap(value)) return entryOf(value, index)
    const method = isGoList(value) && typeof index === 'string' ? listMethod(value, index) : undefined
    if (method !== undefined) return methodOf(describeIndex(index), method)
    if (isGoList(value)) return value[listIndex(index, value.length)]
    if (isGoBytes(value)) return BigInt(value[listIndex(index, value.length)] ?? 0)
  }
  throw new TemplateError(`can't evaluate index ${describeIndex(index)} in type ${jetTypeName(value)}`)
}

function methodOf(name: string, method: () => GoValue): JetBuiltin {
  return { kind: 'builtin', name, call: method }
}

function errorMethod({ message }: JetCaught): JetBuiltin {
  return { kind: 'builtin', name: 'Error', call: () => message }
}

// Messages may show key names, but not values, which may be secret.
function describeIndex(index: JetValue): string {
  return typeof index === 'string' || typeof index === 'number' || typeof index === 'bigint'
    ? String(index)
    : jetTypeName(index)
}

function byteAt(text: string, index: JetValue, budget: Budget): JetValue {
  budget.step(1 + (text.length >> 6))
  if (isAscii(text)) return BigInt(text.charCodeAt(listIndex(index, text.length)))
  const bytes = encodeUtf8(text)
  return BigInt(bytes[listIndex(index, bytes.length)] ?? 0)
}

function listIndex(index: JetValue, length: number): number {
  if (index === undefined) throw new TemplateError('cannot index slice/array/string with nil')
  const position = toWholeNumber(index)
  if (position === undefined) {
    throw new TemplateError(`cannot index slice/array/string with type ${jetTypeName(index)}`)
  }
  if (position < 0n || position >= BigInt(length)) throw new TemplateError(`index out of range: ${position}`)
  return Number(position)
}

// Literals are floats and keys from data are ints, so numbers are compared by value.
function entryOf(map: ReadonlyMap<GoValue, GoValue>, index: JetValue): JetValue {
  if (typeof index === 'string') return memberOf(map, index)
  if (typeof index === 'number') return map.has(index) ? map.get(index) : numericEntry(map, index, toWholeNumber(index))
  if (typeof index === 'bigint') return map.has(index) ? map.get(index) : numericEntry(map, index, Number(index))
  if (typeof index === 'boolean') return map.get(index)
  throw new TemplateError(`can't use ${jetTypeName(index)} as key for map of type ${jetTypeName(map)}`)
}

function numericEntry(
  map: ReadonlyMap<GoValue, GoValue>,
  index: bigint | number,
  other: bigint | number | undefined,
): JetValue {
  const first = map.keys().next()
  if (first.done !== true && typeof first.value === 'string') {
    throw new TemplateError(`can't use ${index} (${jetTypeName(index)}) as key for map of type ${jetTypeName(map)}`)
  }
  return other !== undefined && Number(other) === Number(index) ? map.get(other) : undefined
}

/**
 * `value[from:to]` of lists, bytes and strings (in bytes). Absent bounds are the ends. Throws a `TemplateError` for bounds
 * outside the value.
 */
export function resolveSlice(value: JetValue, from: JetValue, to: JetValue, budget: Budget): JetValue {
  const source = isSpecial(value) || value === undefined ? null : value
  const length = typeof source === 'string' ? countBytes(source) : isSequence(source) ? source.length : undefined
  if (length === undefined) throw new TemplateError(`can't slice value of type ${jetTypeName(value)}`)
  const start = from === undefined ? 0n : sliceBound(from)
  const end = to === undefined ? BigInt(length) : sliceBound(to)
  if (start < 0n || end > BigInt(length) || start > end) {
    throw new TemplateError(`slice bounds out of range [${start}:${end}] with length ${length}`)
  }
  const size = Number(end - start)
  if (isGoList(source)) budget.produce(size)
  else budget.text(size)
  return sliceOf(source, Number(start), Number(end))
}

function isSequence(value: GoValue): value is readonly GoValue[] | Uint8Array {
  return isGoList(value) || isGoBytes(value)
}

function sliceBound(bound: JetValue): bigint {
  const position = toWholeNumber(bound)
  if (position !== undefined) return position
  throw new TemplateError(`non numeric value in index expression kind ${jetTypeName(bound)}`)
}

function sliceOf(value: GoValue, start: number, end: number): JetValue {
  if (typeof value === 'string') {
    return isAscii(value) ? value.slice(start, end) : decodeUtf8(encodeUtf8(value).subarray(start, end))
  }
  if (isGoBytes(value)) return value.subarray(start, end)
  return isGoList(value) ? value.slice(start, end) : undefined
}
