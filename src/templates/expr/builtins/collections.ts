import { BudgetError, missingValueIn, TemplateError } from '../../errors.ts'
import { MAX_VALUE_DEPTH, type Budget } from '../../govalue/budget.ts'
import { compareGoValues, goEqual, sortedEntries } from '../../govalue/compare.ts'
import { formatGoValue } from '../../govalue/format.ts'
import { NIL_LIST } from '../../govalue/nil-list.ts'
import { goTypeName, isGoBytes, isGoList, isGoMap } from '../../govalue/type-name.ts'
import { anyKeyMap } from '../../govalue/typed-map.ts'
import { countRunes } from '../../govalue/utf8.ts'
import type { GoValue } from '../../govalue/value.ts'
import { fetchMember } from '../access.ts'
import {
  anyKeyMap as anyKeyMapType,
  INT,
  INTS,
  LIST,
  STRING,
  STRINGS,
  typeName,
  UNKNOWN,
  type ExprType,
} from '../types.ts'
import { lessThan } from '../arithmetic.ts'
import {
  asIndex,
  asInt,
  asString,
  kindName,
  overloaded,
  signature,
  unaryBuiltin,
  wrongCount,
  type Builtin,
} from './builtin.ts'

const SORTABLE: readonly ExprType[] = [INTS, STRINGS, LIST]
const LISTS: readonly ExprType['kind'][] = ['list', 'bytes']

function asList(value: GoValue, what: string): readonly GoValue[] {
  if (isGoList(value)) return value
  if (isGoBytes(value)) return Array.from(value, BigInt)
  throw new TemplateError(`cannot ${what} ${kindName(value)}`)
}

function asMap(value: GoValue, message: string): ReadonlyMap<GoValue, GoValue> {
  if (isGoMap(value)) return value
  throw new TemplateError(message)
}

function length(value: GoValue): bigint {
  if (typeof value === 'string') return BigInt(countRunes(value))
  if (isGoList(value) || isGoBytes(value)) return BigInt(value.length)
  if (isGoMap(value)) return BigInt(value.size)
  throw new TemplateError(`invalid argument for len (type ${goTypeName(value)})`)
}

/** Go recovers from every panic of a fetch here and returns nil; only limits are rethrown. */
function fetchOrNil(object: GoValue, key: GoValue): GoValue {
  try {
    return fetchMember(object, key)
  } catch (error) {
    const isRecovered = error instanceof TemplateError && !(error instanceof BudgetError)
    if (isRecovered && missingValueIn(error)?.certainty !== 'unknown') return null
    throw error
  }
}

function get(object: GoValue, key: GoValue): GoValue {
  if (typeof object === 'string' || isGoList(object) || isGoBytes(object)) asInt(key)
  return fetchOrNil(object, key)
}

function endOf(name: 'first' | 'last', index: bigint): Builtin {
  return unaryBuiltin(
    name,
    { kinds: LISTS, message: (type) => `cannot get ${name} element from ${type}` },
    () => UNKNOWN,
    (value) => fetchOrNil(value, index),
  )
}

function checkGet(args: readonly ExprType[]): ExprType {
  const [base, key] = args
  if (args.length !== 2 || base === undefined || key === undefined) throw wrongCount(2, args.length)
  return base.kind === 'list' ? base.element : base.kind === 'map' ? base.value : UNKNOWN
}

function checkTake(args: readonly ExprType[]): ExprType {
  const [list, count] = args
  if (args.length !== 2 || list === undefined || count === undefined) throw wrongCount(2, args.length)
  if (!['unknown', 'list', 'bytes'].includes(list.kind)) throw new TemplateError(`cannot take from ${typeName(list)}`)
  if (!['unknown', 'int'].includes(count.kind)) throw new TemplateError(`cannot take ${typeName(count)} elements`)
  return list
}

function take([list = null, count = null]: readonly GoValue[], budget: Budget): GoValue {
  const items = asList(list, 'take from')
  if (typeof count !== 'bigint') throw new TemplateError(`cannot take ${kindName(count)} elements`)
  const size = asIndex(count)
  if (size < 0) throw new TemplateError('reflect.Value.Slice: slice index out of bounds')
  budget.produce(Math.min(size, items.length))
  return items.slice(0, size)
}

function mapParts(name: string, part: (entry: readonly [GoValue, GoValue]) => GoValue, what: string): Builtin {
  return unaryBuiltin(
    name,
    { kinds: ['map'], message: (type) => what.replace('%', type) },
    () => LIST,
    (value, budget) => {
      const map = asMap(value, what.replace('%', kindName(value)))
      budget.produce(map.size)
      return sortedEntries(map).map(part)
    },
  )
}

function fromPairs(value: GoValue): GoValue {
  const map = new Map<GoValue, GoValue>()
  if (!isGoList(value)) throw new TemplateError(`cannot transform ${formatGoValue(value)} from pairs`)
  for (const pair of value) {
    if (!isGoList(pair)) throw new TemplateError(`invalid pair ${formatGoValue(pair)}`)
    const [key = null, item = null] = pair
    if (pair.length !== 2) throw new TemplateError(`invalid pair length ${formatGoValue(pair)}`)
    map.set(key, item)
  }
  return anyKeyMap(map)
}

function listBuiltin(name: string, call: (items: readonly GoValue[], budget: Budget) => GoValue): Builtin {
  return unaryBuiltin(
    name,
    { kinds: LISTS, message: (type) => `cannot ${name} ${type}` },
    () => LIST,
    (value, budget) => call(asList(value, name), budget),
  )
}

/** Key that is equal for equal scalars, to avoid pairwise comparison. */
function scalarKey(value: GoValue): string | undefined {
  if (typeof value === 'bigint') return `n${value}`
  if (typeof value === 'number') return Number.isInteger(value) ? `n${BigInt(value)}` : `n${value}`
  if (typeof value === 'string') return `s${value}`
  return value === null || typeof value === 'boolean' ? `l${value}` : undefined
}

function uniq(items: readonly GoValue[], budget: Budget): GoValue[] {
  const seen = new Set<string>()
  const objects: GoValue[] = []
  return items.filter((item) => {
    const key = scalarKey(item)
    // NaN is not equal to itself.
    if (Number.isNaN(item)) return true
    if (key !== undefined) return !seen.has(key) && seen.add(key).size > 0
    const isKnown = objects.some((known) => goEqual(known, item, budget))
    if (!isKnown) objects.push(item)
    return !isKnown
  })
}

function flattenInto(items: readonly GoValue[], flat: GoValue[], budget: Budget, depth: number): void {
  if (depth > MAX_VALUE_DEPTH) throw new BudgetError(`values are nested deeper than ${MAX_VALUE_DEPTH} levels`)
  budget.step()
  for (const item of items) {
    if (isGoList(item)) {
      flattenInto(item, flat, budget, depth + 1)
    } else {
      budget.produce(1)
      flat.push(item)
    }
  }
}

function flatten(items: readonly GoValue[], budget: Budget): GoValue[] {
  const flat: GoValue[] = []
  flattenInto(items, flat, budget, 0)
  return flat
}

function concat(args: readonly GoValue[], budget: Budget): GoValue {
  const lists = args.map((value) => asList(value, 'concat'))
  const size = lists.reduce((sum, list) => sum + list.length, 0)
  budget.produce(size)
  return size === 0 ? NIL_LIST : lists.flat()
}

function checkConcat(args: readonly ExprType[]): ExprType {
  if (args.length === 0) throw wrongCount('at least 1', 0)
  for (const argument of args) {
    if (!['unknown', 'list', 'bytes'].includes(argument.kind)) {
      throw new TemplateError(`cannot concat ${typeName(argument)}`)
    }
  }
  return LIST
}

function sort(args: readonly GoValue[], budget: Budget): GoValue {
  const [list = null] = args
  const items = isGoList(list) ? list : NIL_LIST
  const order = args.length > 1 ? asString(args[1]) : 'asc'
  if (order !== 'asc' && order !== 'desc') {
    throw new TemplateError(`invalid order ${order}, expected asc or desc`)
  }
  if (items === NIL_LIST) return items
  budget.produce(items.length)
  return sortItems(items, order, budget)
}

/** Sorts values with an order; mixed types are an error. */
function sortItems(items: readonly GoValue[], order: 'asc' | 'desc', budget: Budget): GoValue[] {
  const sign = order === 'asc' ? 1 : -1
  return items.toSorted((a, b) => {
    budget.step()
    const difference = compareGoValues(a, b)
    if (difference === undefined) lessThan(a, b)
    return sign * (difference ?? 0)
  })
}

/** Builtins on lists and maps, except those that take a predicate. */
export const COLLECTION_BUILTINS: readonly Builtin[] = [
  unaryBuiltin(
    'len',
    { kinds: ['list', 'bytes', 'map', 'string'], message: (type) => `invalid argument for len (type ${type})` },
    () => INT,
    length,
  ),
  endOf('first', 0n),
  endOf('last', -1n),
  {
    name: 'get',
    check: { kind: 'custom', check: checkGet },
    arity: [2, 2],
    call: ([object = null, key = null]) => get(object, key),
  },
  { name: 'take', check: { kind: 'custom', check: checkTake }, arity: [2, 2], call: take },
  mapParts('keys', ([key]) => key, 'cannot get keys from %'),
  mapParts('values', ([, value]) => value, 'cannot get values from %'),
  mapParts('toPairs', ([key, value]) => [key, value], 'cannot transform % to pairs'),
  unaryBuiltin(
    'fromPairs',
    { kinds: ['list'], message: (type) => `cannot transform ${type} from pairs` },
    () => anyKeyMapType(UNKNOWN),
    fromPairs,
  ),
  listBuiltin('reverse', (items, budget) => {
    budget.produce(items.length)
    return items.toReversed()
  }),
  listBuiltin('uniq', uniq),
  { name: 'concat', check: { kind: 'custom', check: checkConcat }, arity: [1, Infinity], call: concat },
  listBuiltin('flatten', flatten),
  overloaded(
    'sort',
    SORTABLE.flatMap((list) => [signature([list, STRING], LIST), signature([list], LIST)]),
    sort,
  ),
]
