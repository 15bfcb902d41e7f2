import { BudgetError } from '../../errors.ts'
import { isGoList, isGoMap, MAX_VALUE_DEPTH, type Budget, type GoValue } from '../../govalue/index.ts'
import { NIL_MAP, variadic, type TemplateFunction } from '../functions.ts'
import { chargeItems } from '../text-value.ts'
import { isTrue } from '../truth.ts'
import { writable } from './dictionaries.ts'
import { withMustForm } from './lists.ts'

type Dictionary = ReadonlyMap<GoValue, GoValue>

/** Precedence for a key of both dicts: the target keeps a non-empty value, or the source overrides it. */
type Precedence = 'target' | 'source'

/**
 * mergo's `Merge` and `MergeWithOverwrite`: merges the source into the target recursively. Values are shared with the source, not
 * copied.
 */
function mergeInto(target: Dictionary, source: Dictionary, precedence: Precedence, budget: Budget): void {
  mergeAt(writable(target), source, { precedence, budget }, 0)
}

interface Merging {
  readonly precedence: Precedence
  readonly budget: Budget
}

function mergeAt(target: Map<GoValue, GoValue>, source: Dictionary, merging: Merging, depth: number): void {
  if (depth > MAX_VALUE_DEPTH) throw new BudgetError(`values are nested deeper than ${MAX_VALUE_DEPTH} levels`)
  chargeItems(merging.budget, source.size)
  // The source may be the target or share dicts with it, so its entries are copied first.
  for (const [key, value] of Array.from(source)) {
    merging.budget.step()
    const old = target.get(key) ?? null
    if (value === null) {
      if (merging.precedence === 'source') target.set(key, null)
    } else if (isGoMap(value) && isGoMap(old)) {
      mergeAt(writable(old), value, merging, depth + 1)
      // Two empty dicts: the target gets the source's own.
      if (old.size === 0) target.set(key, value)
    } else if (merging.precedence === 'source' || !isTrue(old)) {
      target.set(key, isGoList(value) ? [...value] : value)
    }
  }
}

function merger(name: string, precedence: Precedence): TemplateFunction {
  return variadic(name, [['map'], 'map'], ([target], sources, { budget }) => {
    const merged = target === NIL_MAP ? new Map<GoValue, GoValue>() : target
    for (const source of sources) mergeInto(merged, source, precedence, budget)
    return merged
  })
}

/** Functions that merge dicts into the first one. */
export const MERGE_FUNCTIONS: readonly TemplateFunction[] = [
  ...withMustForm(merger('merge', 'target')),
  ...withMustForm(merger('mergeOverwrite', 'source')),
]
