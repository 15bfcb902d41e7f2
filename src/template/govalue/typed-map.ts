import type { GoValue } from './value.ts'

const missingValues = new WeakMap<ReadonlyMap<GoValue, GoValue>, (key: GoValue) => GoValue>()

/** Makes a Go `map[string]string`: a key that is not there has the value `""`, not nil. */
export function stringMap(entries: Iterable<readonly [string, string]>): ReadonlyMap<GoValue, GoValue> {
  return guardedMap(entries, () => '')
}

/** Makes a map that is asked what a key has the value of that is not there; it may throw instead. */
export function guardedMap(
  entries: Iterable<readonly [string, GoValue]>,
  missing: (key: GoValue) => GoValue,
): ReadonlyMap<GoValue, GoValue> {
  const map = new Map<GoValue, GoValue>(entries)
  missingValues.set(map, missing)
  return map
}

/** What a key that is not in the map has for a value: nil, the zero value of a typed map, or what a guarded map says. */
export function missingValueOf(map: ReadonlyMap<GoValue, GoValue>, key: GoValue): GoValue {
  return missingValues.get(map)?.(key) ?? null
}
