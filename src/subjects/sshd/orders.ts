import type { ValueOrder } from '../../model/acceptance.ts'
import { byNumber, listsOf } from '../../settings/values.ts'
import type { Keyword } from './keywords.ts'
import { canonicalOf } from './value.ts'

/** How the values of a keyword compare, in any spelling. */
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
      return triples(keyword)
    case 'algorithms':
      return ALGORITHMS
    case 'words':
      return listsOf(/ +/, ' ')
    default:
      return { equals: (left, right) => canonicalOf(keyword, left) === canonicalOf(keyword, right) }
  }
}

/** Where `rate` stands in MaxStartups. */
const RATE = 1

/** Each of the three numbers by itself: of `start:rate:full` more is laxer, but for the share that is refused. */
function triples(keyword: Keyword): ValueOrder<string> {
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

/** At most these algorithms is only these, in any order; at least these is all of them. */
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
