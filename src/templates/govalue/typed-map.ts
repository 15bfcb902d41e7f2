import type { GoValue } from './value.ts'

type Values = ReadonlyMap<GoValue, GoValue>

export interface MapGuard {
  /** Value of a missing key; it may throw instead. */
  readonly missing: (key: GoValue) => GoValue
  /** Whether a missing key counts as present; it may throw if that is unknown. Default no. */
  readonly has?: (key: GoValue) => boolean
}

const stringMaps = new WeakSet<Values>()
const anyKeyMaps = new WeakSet<Values>()
const guards = new WeakMap<Values, MapGuard>()

/** Creates a Go `map[string]string`: a missing key has the value `""`, not nil. */
export function stringMap(entries: Iterable<readonly [string, string]>): Values {
  const map = new Map<GoValue, GoValue>(entries)
  stringMaps.add(map)
  return map
}

/** Whether a map is Go's `map[string]string`. */
export function isStringMap(map: Values): boolean {
  return stringMaps.has(map)
}

/** Marks a map as a Go `map[any]any`. */
export function anyKeyMap<Marked extends Values>(map: Marked): Marked {
  anyKeyMaps.add(map)
  return map
}

/** Whether the map accepts non-string keys. */
export function takesAnyKey(map: Values): boolean {
  return anyKeyMaps.has(map) || [...map.keys()].some((key) => typeof key !== 'string')
}

/** Creates a map with a handler for the values of missing keys; it may throw instead. */
export function guardedMap(entries: Iterable<readonly [string, GoValue]>, missing: (key: GoValue) => GoValue): Values {
  return guardMap(new Map<GoValue, GoValue>(entries), { missing })
}

/** Adds a guard to a map. Iteration over its entries is not affected. */
export function guardMap<Guarded extends Values>(map: Guarded, guard: MapGuard): Guarded {
  guards.set(map, guard)
  return map
}

/** Copies the guard of a map, if any, to its copy. */
export function copyGuard(from: Values, to: Values): void {
  const guard = guards.get(from)
  if (guard !== undefined) guards.set(to, guard)
}

/** Value of a missing key: nil, the zero value of a typed map, or the value of its guard. */
export function missingValueOf(map: Values, key: GoValue): GoValue {
  return guards.get(map)?.missing(key) ?? (stringMaps.has(map) ? '' : null)
}

/** Value of a key; undefined if the map neither has nor guards it. */
export function memberOf(map: Values, key: GoValue): GoValue | undefined {
  return map.has(key) ? map.get(key) : guards.get(map)?.missing(key)
}

/** Whether a map has a key, or its guard treats it as present. */
export function hasMember(map: Values, key: GoValue): boolean {
  return map.has(key) || guards.get(map)?.has?.(key) === true
}
