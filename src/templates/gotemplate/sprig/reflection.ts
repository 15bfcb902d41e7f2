import { BudgetError } from '../../errors.ts'
import {
  compareGoValues,
  goTypeName,
  isGoBytes,
  isGoList,
  isGoMap,
  MAX_VALUE_DEPTH,
  tagGoValue,
  type Budget,
  type GoKind,
  type GoValue,
} from '../../govalue/index.ts'
import { fixed, type TemplateFunction } from '../functions.ts'
import { isGoInt64 } from '../kinds.ts'
import { isSemver } from './semver-value.ts'

const KINDS: Readonly<Record<GoKind, string>> = {
  nil: 'invalid',
  bool: 'bool',
  int: 'int',
  float: 'float64',
  string: 'string',
  bytes: 'slice',
  list: 'slice',
  map: 'map',
  duration: 'int64',
  time: 'struct',
  location: 'ptr',
  enum: 'int',
  function: 'func',
}

/** Go's name of the kind of a value, such as `slice`. */
export function kindOf(value: GoValue): string {
  if (isSemver(value)) return 'ptr'
  return isGoInt64(value) ? 'int64' : KINDS[tagGoValue(value).kind]
}

function typeOf(value: GoValue): string {
  return isSemver(value) ? '*semver.Version' : goTypeName(value)
}

/** Go's `reflect.DeepEqual`: an int never equals a float. */
export function deepEqual(a: GoValue, b: GoValue, budget: Budget): boolean {
  return deepEqualAt(a, b, budget, 0)
}

function deepEqualAt(a: GoValue, b: GoValue, budget: Budget, depth: number): boolean {
  if (a === b) return !Number.isNaN(a)
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  budget.step()
  if (isGoInt64(a)) return isGoInt64(b) && a.value === b.value
  if (depth > MAX_VALUE_DEPTH) throw new BudgetError(`values are nested deeper than ${MAX_VALUE_DEPTH} levels`)
  if (isGoList(a)) {
    if (!isGoList(b) || a.length !== b.length) return false
    return a.every((item, index) => deepEqualAt(item, b[index] ?? null, budget, depth + 1))
  }
  if (isGoMap(a)) {
    if (!isGoMap(b) || a.size !== b.size) return false
    return [...a].every(([key, item]) => b.has(key) && deepEqualAt(item, b.get(key) ?? null, budget, depth + 1))
  }
  if (isGoBytes(a)) return isGoBytes(b) && Buffer.compare(a, b) === 0
  return compareGoValues(a, b) === 0
}

/** Functions that report types. The only sized integer is the `int64` of sprig's arithmetic. */
export const REFLECTION_FUNCTIONS: readonly TemplateFunction[] = [
  fixed('typeOf', ['any'], ([value]) => typeOf(value)),
  fixed('typeIs', ['string', 'any'], ([name, value]) => typeOf(value) === name),
  fixed('typeIsLike', ['string', 'any'], ([name, value]) => [name, `*${name}`].includes(typeOf(value))),
  fixed('kindOf', ['any'], ([value]) => kindOf(value)),
  fixed('kindIs', ['string', 'any'], ([name, value]) => kindOf(value) === name),
  fixed('deepEqual', ['any', 'any'], ([a, b], { budget }) => deepEqual(a, b, budget)),
]
