import { TemplateError } from '../../errors.ts'
import { compareStrings, isGoBytes, isGoList, NIL_LIST, type Budget, type GoValue } from '../../govalue/index.ts'
import { fixed, renamed, variadic, type TemplateFunction } from '../functions.ts'
import { isGoInt64 } from '../kinds.ts'
import { chargeItems } from '../text-value.ts'
import { isTrue } from '../truth.ts'
import { textOf, textsOf, toInt64 } from './convert.ts'
import { deepEqual, kindOf } from './reflection.ts'

/** Items of a list or bytes of a `[]byte`. `task` completes sprig's error message for other values. */
export function itemsOf(value: GoValue, task: string): readonly GoValue[] {
  if (isGoList(value)) return value
  if (isGoBytes(value)) return Array.from(value, BigInt)
  throw new TemplateError(`${task} ${kindOf(value)}`)
}

/** A function and its `must` form. Both fail alike, because a template cannot distinguish Go's panic from an error. */
export function withMustForm(entry: TemplateFunction): TemplateFunction[] {
  return [entry, renamed(entry, `must${entry.name.slice(0, 1).toUpperCase()}${entry.name.slice(1)}`)]
}

/**
 * Lookup key of a value that is neither list nor map: an int64 differs from an int. Undefined for values that must be compared.
 */
function keyOf(value: GoValue): GoValue | symbol | undefined {
  if (isGoInt64(value)) return Symbol.for(`int64 ${value.value}`)
  return typeof value !== 'object' || value === null ? value : undefined
}

/** Creates a fast membership test. */
function membership(values: readonly GoValue[], budget: Budget): (value: GoValue) => boolean {
  const plain = new Set(values.map(keyOf).filter((key) => key !== undefined && !Number.isNaN(key)))
  const others = values.filter((value) => keyOf(value) === undefined)
  return (value) => {
    const key = keyOf(value)
    if (key !== undefined) return !Number.isNaN(key) && plain.has(key)
    return others.some((other) => {
      budget.step()
      return deepEqual(value, other, budget)
    })
  }
}

function unique(items: readonly GoValue[], budget: Budget): GoValue[] {
  const plain = new Set<GoValue | symbol>()
  const kept: GoValue[] = []
  const objects: GoValue[] = []
  for (const item of items) {
    const key = keyOf(item)
    if (key !== undefined) {
      if (!plain.has(key) || Number.isNaN(key)) kept.push(item)
      plain.add(key)
    } else if (!membership(objects, budget)(item)) {
      kept.push(item)
      objects.push(item)
    }
  }
  return kept
}

function slice(value: GoValue, indices: readonly GoValue[]): GoValue {
  const items = itemsOf(value, 'list should be type of slice or array but')
  if (items.length === 0) return null
  const [first = 0n, second = BigInt(items.length)] = indices
  const start = toInt64(first)
  const end = toInt64(second)
  if (start < 0n || end < start || end > BigInt(items.length)) {
    throw new TemplateError('reflect.Value.Slice: slice index out of bounds')
  }
  return items.slice(Number(start), Number(end))
}

function chunk(size: bigint, items: readonly GoValue[], budget: Budget): GoValue[] {
  if (size < 1n) throw new TemplateError('chunk size must be positive')
  chargeItems(budget, items.length)
  const chunks: GoValue[] = []
  for (let start = 0; start < items.length; start += Number(size)) {
    chunks.push(items.slice(start, start + Number(size)))
  }
  return chunks
}

function sortAlpha(value: GoValue, budget: Budget): GoValue[] {
  if (!isGoList(value)) return [textOf(value, budget)]
  return textsOf(value, budget).toSorted(compareStrings)
}

function concatenable(value: GoValue): readonly GoValue[] {
  if (isGoList(value) || isGoBytes(value)) return itemsOf(value, 'Cannot concat type')
  throw new TemplateError(`Cannot concat type ${kindOf(value)} as list`)
}

/** Go returns nil for an empty part of a list. */
function part(items: readonly GoValue[], from: number, to?: number): readonly GoValue[] {
  return items.length === 0 ? NIL_LIST : items.slice(from, to)
}

const list = variadic('list', [[], 'any'], (_, items) => [...items])

export const LIST_FUNCTIONS: readonly TemplateFunction[] = [
  list,
  renamed(list, 'tuple'),
  fixed('sortAlpha', ['any'], ([value], { budget }) => sortAlpha(value, budget)),
  variadic('concat', [[], 'any'], (_, lists, { budget }) => {
    const parts = lists.map(concatenable)
    chargeItems(
      budget,
      parts.reduce((sum, part) => sum + part.length, 0),
    )
    return parts.flat(1)
  }),
  ...withMustForm(fixed('first', ['any'], ([value]) => itemsOf(value, 'Cannot find first on type')[0] ?? null)),
  ...withMustForm(fixed('last', ['any'], ([value]) => itemsOf(value, 'Cannot find last on type').at(-1) ?? null)),
  ...withMustForm(fixed('rest', ['any'], ([value]) => part(itemsOf(value, 'Cannot find rest on type'), 1))),
  ...withMustForm(fixed('initial', ['any'], ([value]) => part(itemsOf(value, 'Cannot find initial on type'), 0, -1))),
  ...withMustForm(fixed('reverse', ['any'], ([value]) => itemsOf(value, 'Cannot find reverse on type').toReversed())),
  ...withMustForm(variadic('slice', [['any'], 'any'], ([value], indices) => slice(value, indices))),
  ...withMustForm(fixed('compact', ['any'], ([value]) => itemsOf(value, 'Cannot compact on type').filter(isTrue))),
  ...withMustForm(
    fixed('uniq', ['any'], ([value], { budget }) => unique(itemsOf(value, 'Cannot find uniq on type'), budget)),
  ),
  ...withMustForm(
    variadic('without', [['any'], 'any'], ([value], omitted, { budget }) => {
      const isOmitted = membership(omitted, budget)
      return itemsOf(value, 'Cannot find without on type').filter((item) => !isOmitted(item))
    }),
  ),
  ...withMustForm(
    fixed('has', ['any', 'any'], ([needle, value], { budget }) => {
      return value !== null && membership(itemsOf(value, 'Cannot find has on type'), budget)(needle)
    }),
  ),
  ...withMustForm(
    fixed('chunk', ['integer', 'any'], ([size, value], { budget }) =>
      chunk(size, itemsOf(value, 'Cannot chunk type'), budget),
    ),
  ),
]
