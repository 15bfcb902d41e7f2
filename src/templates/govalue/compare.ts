import { BudgetError } from '../errors.ts'
import { Budget, MAX_VALUE_DEPTH } from './budget.ts'
import { isGoBytes, isGoList, isGoMap } from './type-name.ts'
import { compareStrings } from './utf8.ts'
import type { GoValue } from './value.ts'

/**
 * Equality of all template languages: numbers by value across int and float, lists and maps deep, times by instant,
 * everything else by kind and value. Functions equal nothing, as in Go.
 */
export function goEqual(a: GoValue, b: GoValue, budget: Budget = new Budget()): boolean {
  return equalAt(a, b, budget, 0)
}

function equalAt(a: GoValue, b: GoValue, budget: Budget, depth: number): boolean {
  if (typeof a === 'object' && typeof b === 'object' && a !== null && b !== null) {
    return equalObjects(a, b, budget, depth)
  }
  if (typeof a === 'bigint' && typeof b === 'number') return Number(a) === b
  if (typeof a === 'number' && typeof b === 'bigint') return a === Number(b)
  return a === b
}

type GoObject = Exclude<GoValue, null | boolean | bigint | number | string>

function equalObjects(a: GoObject, b: GoObject, budget: Budget, depth: number): boolean {
  budget.step()
  if (isGoBytes(a) && isGoBytes(b)) return Buffer.compare(a, b) === 0
  if (depth > MAX_VALUE_DEPTH) throw new BudgetError(`values are nested deeper than ${MAX_VALUE_DEPTH} levels`)
  const [left, right] = [itemsOf(a), itemsOf(b)]
  if (left !== undefined || right !== undefined) {
    if (left === undefined || right === undefined || left.length !== right.length) return false
    return left.every((item, index) => equalAt(item, right[index] ?? null, budget, depth + 1))
  }
  if (isGoMap(a)) {
    if (!isGoMap(b) || a.size !== b.size) return false
    return [...a].every(([key, value]) => b.has(key) && equalAt(value, b.get(key) ?? null, budget, depth + 1))
  }
  if (isGoMap(b) || !('kind' in a) || !('kind' in b)) return false
  if (a.kind === 'duration') return b.kind === 'duration' && a.nanoseconds === b.nanoseconds
  if (a.kind === 'time') return b.kind === 'time' && a.unixNanoseconds === b.unixNanoseconds
  if (a.kind === 'enum') return b.kind === 'enum' && a.type === b.type && a.value === b.value
  if (a.kind === 'location') {
    return b.kind === 'location' && a.name === b.name && a.offsetSeconds === b.offsetSeconds
  }
  return false
}

/** Items of a list or `[]byte`, which are both slices in Go. */
function itemsOf(value: GoObject): readonly GoValue[] | undefined {
  if (isGoList(value)) return value
  return isGoBytes(value) ? Array.from(value, BigInt) : undefined
}

/**
 * Orders two numbers, two strings (by UTF-8 bytes), two times or two durations: negative, 0 or positive; `NaN` if a float is NaN
 * (so every comparison with 0 is false). Undefined if the values have no order.
 */
export function compareGoValues(a: GoValue, b: GoValue): number | undefined {
  if (typeof a === 'string') return typeof b === 'string' ? compareStrings(a, b) : undefined
  if (typeof a === 'bigint' && typeof b === 'bigint') return compareBigints(a, b)
  if (isNumber(a)) return isNumber(b) ? compareNumbers(Number(a), Number(b)) : undefined
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return undefined
  if (!('kind' in a) || !('kind' in b)) return undefined
  if (a.kind === 'time' && b.kind === 'time') return compareBigints(a.unixNanoseconds, b.unixNanoseconds)
  if (a.kind === 'duration' && b.kind === 'duration') return compareBigints(a.nanoseconds, b.nanoseconds)
  return undefined
}

export function isNumber(value: unknown): value is bigint | number {
  return typeof value === 'bigint' || typeof value === 'number'
}

export function compareBigints(a: bigint, b: bigint): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

function compareNumbers(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return NaN
  if (a === b) return 0
  return a < b ? -1 : 1
}

/**
 * The order in which maps are printed and walked, Go's `internal/fmtsort`: nil, then numbers, then strings and the
 * rest. Total, so sorting is deterministic for mixed keys too.
 */
export function compareMapKeys(a: GoValue, b: GoValue): number {
  const order = compareGoValues(a, b)
  if (order !== undefined && !Number.isNaN(order)) return order
  return keyRank(a) - keyRank(b)
}

function keyRank(key: GoValue): number {
  if (key === null) return 0
  return ['number', 'bigint', 'string', 'boolean', 'object'].indexOf(typeof key) + 1 + (key === true ? 0.5 : 0)
}

/** The entries of a map in the order of `compareMapKeys`. */
export function sortedEntries(map: ReadonlyMap<GoValue, GoValue>): [GoValue, GoValue][] {
  return [...map].toSorted(([a], [b]) => compareMapKeys(a, b))
}
