import type { GoValue } from './value.ts'

const zeroValues = new WeakMap<ReadonlyMap<GoValue, GoValue>, GoValue>()

/** Makes a Go `map[string]string`: a key that is not there has the value `""`, not nil. */
export function stringMap(entries: Iterable<readonly [string, string]>): ReadonlyMap<GoValue, GoValue> {
  return withZeroValue(new Map<GoValue, GoValue>(entries), '')
}

/** Says what a map gives for keys that are not there: the zero value of its element type. Gives the same map. */
export function withZeroValue(map: ReadonlyMap<GoValue, GoValue>, zeroValue: GoValue): ReadonlyMap<GoValue, GoValue> {
  zeroValues.set(map, zeroValue)
  return map
}

/** What Go gives for a key that is not in the map: nil, or the element type's zero value for a typed map. */
export function zeroValueOf(map: ReadonlyMap<GoValue, GoValue>): GoValue {
  return zeroValues.get(map) ?? null
}
