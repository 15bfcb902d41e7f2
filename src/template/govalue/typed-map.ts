import type { GoValue } from './value.ts'

const zeroValues = new WeakMap<ReadonlyMap<GoValue, GoValue>, GoValue>()

/** Makes a Go `map[string]string`: a key that is not there has the value `""`, not nil. */
export function stringMap(entries: Iterable<readonly [string, string]>): ReadonlyMap<GoValue, GoValue> {
  const map = new Map<GoValue, GoValue>(entries)
  zeroValues.set(map, '')
  return map
}

/** What Go gives for a key that is not in the map: nil, or the element type's zero value for a typed map. */
export function zeroValueOf(map: ReadonlyMap<GoValue, GoValue>): GoValue {
  return zeroValues.get(map) ?? null
}
