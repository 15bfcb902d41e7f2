import { BudgetError } from '../errors.ts'
import { Budget, formatGoValue, isGoList, isGoMap, MAX_VALUE_DEPTH, type GoValue } from '../govalue/index.ts'

// Number of list items or dict entries, read or copied by a function, per budget element.
const ITEMS_PER_ELEMENT = 16

/** Charges the budget for text that a function reads or creates. */
export function chargeText(budget: Budget, length: number): void {
  budget.text(length)
}

/** Charges the budget for items or entries that a function reads or copies. */
export function chargeItems(budget: Budget, count: number): void {
  if (count >= ITEMS_PER_ELEMENT) budget.produce(Math.floor(count / ITEMS_PER_ELEMENT))
}

/** Charges for an argument or result of a function, without the contents of lists and maps. */
export function chargeValue(budget: Budget, value: GoValue): void {
  budget.made(value)
  if (isGoList(value)) chargeItems(budget, value.length)
  else if (isGoMap(value)) chargeItems(budget, value.size)
}

/**
 * Charges for all text of a value before it is printed: shared parts count each time. Throws a `BudgetError` for values too deep
 * or too large.
 */
export function chargeContents(budget: Budget, value: GoValue): void {
  chargeText(budget, contentSize(budget, value, 0))
}

function contentSize(budget: Budget, value: GoValue, depth: number): number {
  if (typeof value === 'string') return value.length
  if (!isGoList(value) && !isGoMap(value)) return 1
  budget.step()
  if (depth > MAX_VALUE_DEPTH) throw new BudgetError(`values are nested deeper than ${MAX_VALUE_DEPTH} levels`)
  let size = 2
  if (isGoList(value)) {
    for (const item of value) size += 1 + contentSize(budget, item, depth + 1)
  } else {
    for (const [key, item] of value) {
      size += 2 + contentSize(budget, key, depth + 1) + contentSize(budget, item, depth + 1)
    }
  }
  if (size > budget.limits.outputLength) throw new BudgetError('memory budget exceeded')
  return size
}

const ownTexts = new WeakMap<ReadonlyMap<GoValue, GoValue>, string>()

/** Sets the printed text of a map, like a Go type with a `String` method. */
export function setOwnText(value: ReadonlyMap<GoValue, GoValue>, text: string): void {
  ownTexts.set(value, text)
}

/** Text set by `setOwnText`. */
export function ownText(value: GoValue): string | undefined {
  return isGoMap(value) ? ownTexts.get(value) : undefined
}

/** Go's `%v` of a value. */
export function valueText(value: GoValue, budget: Budget): string {
  if (typeof value === 'string') return value
  if (isGoList(value) || isGoMap(value)) {
    const own = ownText(value)
    if (own !== undefined) return own
    chargeContents(budget, value)
  }
  return formatGoValue(value, budget)
}
