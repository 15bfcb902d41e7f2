import { BudgetError, TemplateError } from '../../errors.ts'
import {
  copyGuard,
  hasMember,
  isGoList,
  isGoMap,
  MAX_VALUE_DEPTH,
  memberOf,
  sortedEntries,
  type Budget,
  type GoValue,
} from '../../govalue/index.ts'
import { copyOwnTraits } from './semver-value.ts'
import { fitsParameter, fixed, NIL_MAP, variadic, type TemplateFunction } from '../functions.ts'
import { chargeItems } from '../text-value.ts'
import { textOf } from './convert.ts'
import { withMustForm } from './lists.ts'
import { kindOf } from './reflection.ts'

type Dictionary = ReadonlyMap<GoValue, GoValue>

/**
 * Dict that a function may change. Before a template with such functions runs, its data and the results of host functions are
 * copied, so that only the template sees the change.
 */
export function writable(dictionary: Dictionary): Map<GoValue, GoValue> {
  if (dictionary instanceof Map && dictionary !== NIL_MAP) return dictionary
  throw new TemplateError('assignment to entry in nil map')
}

function makeDictionary(items: readonly GoValue[], budget: Budget): Dictionary {
  const dictionary = new Map<GoValue, GoValue>()
  for (let index = 0; index < items.length; index += 2) {
    dictionary.set(textOf(items[index] ?? null, budget), index + 1 < items.length ? (items[index + 1] ?? null) : '')
  }
  return dictionary
}

function set(dictionary: Dictionary, key: string, value: GoValue, budget: Budget): GoValue {
  budget.produce(1)
  return writable(dictionary).set(key, value)
}

function unset(dictionary: Dictionary, key: string): GoValue {
  if (dictionary !== NIL_MAP) writable(dictionary).delete(key)
  return dictionary
}

function pick(dictionary: Dictionary, keys: readonly string[]): Dictionary {
  return new Map(keys.filter((key) => dictionary.has(key)).map((key) => [key, dictionary.get(key) ?? null]))
}

function omit(dictionary: Dictionary, keys: readonly string[]): Dictionary {
  const omitted: ReadonlySet<GoValue> = new Set<GoValue>(keys)
  return new Map([...dictionary].filter(([key]) => !omitted.has(key)))
}

/** Copy of a value without shared lists or dicts. */
export function deepCopy(value: GoValue, budget: Budget): GoValue {
  return copyAt(value, { budget, copies: new Map() }, 0)
}

interface Copying {
  readonly budget: Budget
  /** Values already copied: a shared part stays shared in the copy. */
  readonly copies: Map<GoValue, GoValue>
}

function copyAt(value: GoValue, copying: Copying, depth: number): GoValue {
  if (!isGoList(value) && !isGoMap(value)) return value
  const known = copying.copies.get(value)
  if (known !== undefined) return known
  copying.budget.step()
  if (depth > MAX_VALUE_DEPTH) throw new BudgetError(`values are nested deeper than ${MAX_VALUE_DEPTH} levels`)
  if (isGoList(value)) {
    chargeItems(copying.budget, value.length)
    const copy = value.map((item) => copyAt(item, copying, depth + 1))
    copying.copies.set(value, copy)
    return copy
  }
  chargeItems(copying.budget, value.size)
  const copy = new Map<GoValue, GoValue>()
  copying.copies.set(value, copy)
  for (const [key, item] of value) copy.set(key, copyAt(item, copying, depth + 1))
  copyOwnTraits(value, copy)
  copyGuard(value, copy)
  return copy
}

/** Value under a path of keys, or the fallback if a key is missing. */
function dig(args: readonly GoValue[]): GoValue {
  const [fallback = null, last = null] = args.slice(-2)
  if (args.length < 3) throw new TemplateError('dig needs at least three arguments')
  let step: GoValue = last
  for (const key of args.slice(0, -2)) {
    if (!fitsParameter(step, 'map') || !isGoMap(step)) {
      throw new TemplateError(`interface conversion: interface {} is ${kindOf(step)}, not map[string]interface {}`)
    }
    if (typeof key !== 'string') {
      throw new TemplateError(`interface conversion: interface {} is ${kindOf(key)}, not string`)
    }
    if (!hasMember(step, key)) return fallback
    step = memberOf(step, key) ?? null
  }
  return step
}

/** Functions on dicts. Keys come sorted where Go's order is random. */
export const DICTIONARY_FUNCTIONS: readonly TemplateFunction[] = [
  variadic('dict', [[], 'any'], (_, items, { budget }) => makeDictionary(items, budget)),
  fixed('get', ['map', 'string'], ([dictionary, key]) =>
    hasMember(dictionary, key) ? (memberOf(dictionary, key) ?? null) : '',
  ),
  fixed('set', ['map', 'string', 'any'], ([dictionary, key, value], { budget }) => set(dictionary, key, value, budget)),
  fixed('unset', ['map', 'string'], ([dictionary, key]) => unset(dictionary, key)),
  fixed('hasKey', ['map', 'string'], ([dictionary, key]) => hasMember(dictionary, key)),
  variadic('pluck', [['string'], 'map'], ([key], dictionaries) =>
    dictionaries.filter((dictionary) => dictionary.has(key)).map((dictionary) => dictionary.get(key) ?? null),
  ),
  variadic('keys', [[], 'map'], (_, dictionaries) =>
    dictionaries.flatMap((dictionary) => sortedEntries(dictionary).map(([key]) => key)),
  ),
  fixed('values', ['map'], ([dictionary]) => sortedEntries(dictionary).map(([, value]) => value)),
  variadic('pick', [['map'], 'string'], ([dictionary], keys) => pick(dictionary, keys)),
  variadic('omit', [['map'], 'string'], ([dictionary], keys) => omit(dictionary, keys)),
  variadic('dig', [[], 'any'], (_, args) => dig(args)),
  ...withMustForm(
    fixed('deepCopy', ['any'], ([value], { budget }) => {
      if (value === null) throw new TemplateError('reflect: call of reflect.Value.Type on zero Value')
      return deepCopy(value, budget)
    }),
  ),
]
