import { TemplateError } from '../errors.ts'
import { goEqual } from '../govalue/compare.ts'
import { formatGoValue } from '../govalue/format.ts'
import { listMethod } from '../govalue/list-methods.ts'
import { goKind, goTypeName, isGoBytes, isGoList, isGoMap } from '../govalue/type-name.ts'
import { hasMember, missingValueOf, takesAnyKey } from '../govalue/typed-map.ts'
import { decodeUtf8, encodeUtf8, isAscii } from '../govalue/utf8.ts'
import type { GoValue } from '../govalue/value.ts'
import { asIndex } from './builtins/builtin.ts'
import { findMethod } from './methods.ts'

/**
 * `object[key]` and `object.key`: map entries (nil if missing), list items and string bytes (negative from the end), methods of
 * times and durations. Throws a `TemplateError` without a location.
 */
export function fetchMember(object: GoValue, key: GoValue): GoValue {
  if (isGoMap(object)) return mapValue(object, key)
  const method = typeof key === 'string' ? boundMethod(object, key) : undefined
  if (method !== undefined) return method
  if (typeof object === 'string') return byteAt(object, key)
  if (isGoList(object) && typeof key === 'string') {
    const listed = listMethod(object, key)
    if (listed !== undefined) return withoutArguments(key, listed)
  }
  if (isGoList(object)) return object[checkIndex(key, object.length)] ?? null
  if (isGoBytes(object)) return BigInt(object[checkIndex(key, object.length)] ?? 0)
  throw new TemplateError(`cannot fetch ${formatGoValue(key)} from ${goTypeName(object)}`)
}

function withoutArguments(name: string, method: () => GoValue): GoValue {
  const call = (args: readonly GoValue[]): GoValue => {
    if (args.length > 0) throw new TemplateError(`too many arguments to call ${name}`)
    return method()
  }
  return { kind: 'function', name, call }
}

function checkIndex(key: GoValue, length: number): number {
  const wanted = Math.trunc(asIndex(key))
  const index = wanted < 0 ? length + wanted : wanted
  if (index < 0 || index >= length) {
    throw new TemplateError(`index out of range: ${index} (array length is ${length})`)
  }
  return index
}

function byteAt(text: string, key: GoValue): bigint {
  const bytes = isAscii(text) ? undefined : encodeUtf8(text)
  const index = checkIndex(key, bytes?.length ?? text.length)
  return BigInt(bytes?.[index] ?? text.charCodeAt(index))
}

function mapValue(map: ReadonlyMap<GoValue, GoValue>, key: GoValue): GoValue {
  const stored = mapKey(map, key)
  const value = map.get(stored)
  return value === undefined ? missingValueOf(map, stored) : value
}

/** Whether a map has a key; nil is the empty string in maps with string keys. */
export function hasKey(map: ReadonlyMap<GoValue, GoValue>, key: GoValue): boolean {
  return hasMember(map, mapKey(map, key))
}

function mapKey(map: ReadonlyMap<GoValue, GoValue>, key: GoValue): GoValue {
  if (key === null) return map.has(null) ? null : ''
  if (typeof key !== 'string' && !takesAnyKey(map)) throw unassignableKey(key)
  return storedKey(map, key)
}

/** Error for a non-string key of a map with string keys, which would silently find no entry. */
export function unassignableKey(key: GoValue): TemplateError {
  return new TemplateError(`reflect.Value.MapIndex: value of type ${goTypeName(key)} is not assignable to type string`)
}

/** Key as stored in the map: keys that are objects here are values in Go and are compared by equality. */
export function storedKey(map: ReadonlyMap<GoValue, GoValue>, key: GoValue): GoValue {
  if (typeof key !== 'object' || key === null || map.has(key)) return key
  for (const candidate of map.keys()) {
    if (typeof candidate === 'object' && goEqual(candidate, key)) return candidate
  }
  return key
}

function boundMethod(receiver: GoValue, name: string): GoValue | undefined {
  const method = receiver === null ? undefined : findMethod(goKind(receiver), name)
  if (method === undefined) return undefined
  const call = (args: readonly GoValue[]): GoValue => {
    if (args.length < method.parameters.length) throw new TemplateError(`not enough arguments to call ${name}`)
    if (args.length > method.parameters.length) throw new TemplateError(`too many arguments to call ${name}`)
    return method.call(receiver, args)
  }
  return { kind: 'function', name, call }
}

/** `object[from:to]`: clamps instead of failing, negative from the end, strings by bytes. */
export function sliceValue(object: GoValue, from: GoValue | undefined, to: GoValue | undefined): GoValue {
  if (typeof object === 'string' && !isAscii(object)) {
    const bytes = encodeUtf8(object)
    const [start, end] = clamp(from, to, bytes.length)
    return decodeUtf8(bytes.subarray(start, end))
  }
  if (typeof object === 'string' || isGoList(object) || isGoBytes(object)) {
    const [start, end] = clamp(from, to, object.length)
    return object.slice(start, end)
  }
  throw new TemplateError(`cannot slice ${from === undefined ? '0' : formatGoValue(from)}`)
}

function clamp(from: GoValue | undefined, to: GoValue | undefined, length: number): [number, number] {
  const bound = (value: GoValue | undefined, absent: number): number => {
    const wanted = value === undefined ? absent : Math.trunc(asIndex(value))
    return Math.max(0, wanted < 0 ? length + wanted : wanted)
  }
  const end = Math.min(bound(to, length), length)
  return [Math.min(bound(from, 0), end), end]
}
