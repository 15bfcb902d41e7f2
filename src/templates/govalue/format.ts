import { BudgetError } from '../errors.ts'
import { Budget, MAX_VALUE_DEPTH } from './budget.ts'
import { sortedEntries } from './compare.ts'
import { formatGoDuration } from './duration.ts'
import { formatGoFloat } from './format-float.ts'
import { formatGoTimeString } from './time-format.ts'
import { tagGoValue } from './type-name.ts'
import type { GoValue } from './value.ts'

/**
 * Prints a value as Go's `fmt.Sprint` (`%v`) does: nil is `<nil>`, lists `[a b]`, maps `map[k:v]` with sorted keys,
 * functions an address (here `0x0`). Throws `BudgetError` for values too deep or too large to print.
 */
export function formatGoValue(value: GoValue, budget?: Budget): string {
  switch (typeof value) {
    case 'string':
      return value
    case 'bigint':
      return value.toString()
    case 'number':
      return formatGoFloat(value)
    default:
      return formatAt(value, budget ?? new Budget(), 0)
  }
}

function formatAt(input: GoValue, budget: Budget, depth: number): string {
  budget.step()
  if (depth > MAX_VALUE_DEPTH) throw new BudgetError(`values are nested deeper than ${MAX_VALUE_DEPTH} levels`)
  const tagged = tagGoValue(input)
  switch (tagged.kind) {
    case 'nil':
      return '<nil>'
    case 'bool':
    case 'int':
      return String(tagged.value)
    case 'string':
      budget.text(tagged.value.length)
      return tagged.value
    case 'float':
      return formatGoFloat(tagged.value)
    case 'bytes':
      // A byte is at most three digits and a space.
      budget.text(tagged.value.length * 4)
      return `[${tagged.value.join(' ')}]`
    case 'list':
      return `[${tagged.value.map((item) => formatAt(item, budget, depth + 1)).join(' ')}]`
    case 'map': {
      const entries = sortedEntries(tagged.value).map(
        ([key, value]) => `${formatAt(key, budget, depth + 1)}:${formatAt(value, budget, depth + 1)}`,
      )
      return `map[${entries.join(' ')}]`
    }
    case 'duration':
      return formatGoDuration(tagged.value)
    case 'time':
      return formatGoTimeString(tagged.value)
    case 'location':
    case 'enum':
      return tagged.value.name
    case 'function':
      return '0x0'
  }
}
