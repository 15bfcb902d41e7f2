import type { GoValue } from './value.ts'

type Values = ReadonlyMap<GoValue, GoValue>

/** What answers for the keys that a map does not have. */
export interface MapGuard {
  /** The value of such a key; it may throw instead. */
  readonly missing: (key: GoValue) => GoValue
  /** Whether such a key counts as there all the same; it may throw where that is unknown. Default no. */
  readonly has?: (key: GoValue) => boolean
}

const stringMaps = new WeakSet<Values>()
const anyKeyMaps = new WeakSet<Values>()
const guards = new WeakMap<Values, MapGuard>()

/** Makes a Go `map[string]string`: a key that is not there has the value `""`, not nil. */
export function stringMap(entries: Iterable<readonly [string, string]>): Values {
  const map = new Map<GoValue, GoValue>(entries)
  stringMaps.add(map)
  return map
}

/** Whether a map is Go's `map[string]string`. */
export function isStringMap(map: Values): boolean {
  return stringMaps.has(map)
}

/** Marks a map as a Go `map[any]any`, with any keys. */
export function anyKeyMap<Marked extends Values>(map: Marked): Marked {
  anyKeyMaps.add(map)
  return map
}

/** Whether other keys than strings can be in a map. */
export function takesAnyKey(map: Values): boolean {
  return anyKeyMaps.has(map) || [...map.keys()].some((key) => typeof key !== 'string')
}

/** Makes a map that is asked what a key has the value of that is not there; it may throw instead. */
export function guardedMap(entries: Iterable<readonly [string, GoValue]>, missing: (key: GoValue) => GoValue): Values {
  return guardMap(new Map<GoValue, GoValue>(entries), { missing })
}

/** Lets a guard answer for a map. The map stays what it is to everything that goes over its entries. */
export function guardMap<Guarded extends Values>(map: Guarded, guard: MapGuard): Guarded {
  guards.set(map, guard)
  return map
}

/** Lets the guard of one map, where it has any, answer for its copy as well. */
export function copyGuard(from: Values, to: Values): void {
  const guard = guards.get(from)
  if (guard !== undefined) guards.set(to, guard)
}

/** What a key that is not in the map has for a value: nil, the zero value of a typed map, or what its guard says. */
export function missingValueOf(map: Values, key: GoValue): GoValue {
  return guards.get(map)?.missing(key) ?? (stringMaps.has(map) ? '' : null)
}

/** The value of a key; undefined where the map does not have it and nothing guards it. */
export function memberOf(map: Values, key: GoValue): GoValue | undefined {
  return map.has(key) ? map.get(key) : guards.get(map)?.missing(key)
}

/** Whether a map has a key, or counts as having it. */
export function hasMember(map: Values, key: GoValue): boolean {
  return map.has(key) || guards.get(map)?.has?.(key) === true
}
