import type { ValueOrder } from '../../model/acceptance.ts'
import { byNumber, listsOf } from '../../settings/values.ts'
import type { Keyword } from './keywords.ts'
import { canonicalOf } from './value.ts'

/** Value order of a keyword, for any spelling. */
export function orderOf(keyword: Keyword): ValueOrder<string> {
  switch (keyword.kind) {
    case 'integer':
    case 'seconds':
      return byNumber((text) => {
        const value = canonicalOf(keyword, text)
        if (value === '0' && keyword.zeroIsNever === true) return Number.POSITIVE_INFINITY
        return value === undefined ? undefined : Number(value)
      })
    case 'triple':
      return tripleOrder(keyword)
    case 'algorithms':
      return ALGORITHMS
    case 'words':
      return listsOf(/ +/, ' ')
    default:
      return { equals: (left, right) => canonicalOf(keyword, left) === canonicalOf(keyword, right) }
  }
}

/** Index of `rate` in MaxStartups. */
const RATE = 1

/** Compares each number of `start:rate:full`: a larger one is laxer, except for `rate`. */
function tripleOrder(keyword: Keyword): ValueOrder<string> {
  const each = (value: string, bound: string, isRaised: boolean): string => {
    const [numbers, limits] = [value, bound].map((text) => canonicalOf(keyword, text)?.split(':').map(Number))
    if (numbers === undefined || limits === undefined) return bound
    return numbers
      .map((number, index) => ((index === RATE) === isRaised ? Math.min : Math.max)(number, limits[index] ?? number))
      .join(':')
  }
  return {
    equals: (left, right) => canonicalOf(keyword, left) === canonicalOf(keyword, right),
    raise: (value, bound) => each(value, bound, true),
    lower: (value, bound) => each(value, bound, false),
  }
}

const LISTS = listsOf(/,/, ',')

/** `at_most` means a subset of these algorithms, in any order; `at_least` means all of them. */
const ALGORITHMS: ValueOrder<string> = {
  ...LISTS,
  lower(value, bound) {
    const allowed = bound.split(',')
    const names = value.split(',')
    const kept = names.filter((name) => allowed.includes(name))
    if (kept.length === names.length) return value
    return kept.length === 0 ? bound : kept.join(',')
  },
  raise: (value, bound) => LISTS.include?.(value, bound.split(',')) ?? bound,
}
