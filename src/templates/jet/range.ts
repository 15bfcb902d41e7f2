import { TemplateError } from '../errors.ts'
import { isGoBytes, isGoList, isGoMap, sortedEntries, type Budget } from '../govalue/index.ts'
import { isSpecial, jetTypeName, type JetValue } from './values.ts'

/**
 * Keys and elements that a `range` iterates over: lists and bytes by index, maps by sorted key (Go's order is random), `ints()`
 * by index. Throws a `TemplateError` for other values.
 */
export function rangeOver(subject: JetValue, budget: Budget): Iterable<readonly [key: JetValue, element: JetValue]> {
  if (isSpecial(subject)) {
    if (subject.kind === 'ints') return wholeNumbers(subject.from, subject.to)
  } else if (subject !== undefined) {
    if (isGoList(subject)) return indexed(subject)
    if (isGoBytes(subject)) return indexed(Array.from(subject, BigInt))
    if (isGoMap(subject)) {
      budget.step(1 + subject.size)
      return sortedEntries(subject)
    }
  }
  throw new TemplateError(`value of type ${jetTypeName(subject)} is not rangeable`)
}

function* wholeNumbers(from: bigint, to: bigint): Iterable<readonly [JetValue, JetValue]> {
  for (let value = from; value < to; value += 1n) yield [value - from, value]
}

function* indexed(list: readonly JetValue[]): Iterable<readonly [JetValue, JetValue]> {
  for (const [index, element] of list.entries()) yield [BigInt(index), element]
}
