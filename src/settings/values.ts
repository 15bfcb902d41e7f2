import type { ValueOrder } from '../model/acceptance.ts'
import { integerOf } from '../model/fields.ts'
import { withBlanksOfC } from './blanks.ts'

/** Parses a text to a comparable number; undefined if not a number. */
type Reader = (text: string) => number | undefined

/** Values compared by the number they represent. Other values are never within bounds. */
export function byNumber(read: Reader): ValueOrder<string> {
  const within = (value: string, bound: string, isWithin: (number: number, limit: number) => boolean): string => {
    const [number, limit] = [read(value), read(bound)]
    return number !== undefined && limit !== undefined && isWithin(number, limit) ? value : bound
  }
  return {
    equals: (left, right) => left === right || (read(left) !== undefined && read(left) === read(right)),
    raise: (value, bound) => within(value, bound, (number, least) => number >= least),
    lower: (value, bound) => within(value, bound, (number, most) => number <= most),
  }
}

/** A decimal number; leading zeros are ignored. */
export function decimalOf(text: string): number | undefined {
  return /^[+-]?\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined
}

/** A number as parsed by strtol(3) with base 0: `0x1f` and `037` are 31, with blanks before it or not. */
export function cNumberOf(text: string): number | undefined {
  const number = integerOf(text.replace(/^[ \t\n\v\f\r]+/, ''))
  return number === undefined ? undefined : Number(number)
}

/** Lists, separated by any of these characters, and written with `between` between items. */
export function listsOf(separators: RegExp, between: string): ValueOrder<string> {
  const parting = withBlanksOfC(separators)
  const itemsOf = (value: string): string[] => value.split(parting).filter((item) => item !== '')
  const numbers = byNumber(decimalOf)
  return {
    ...numbers,
    equals: (left, right) => {
      const [items, others] = [itemsOf(left), itemsOf(right)]
      return items.length === others.length && items.every((item, index) => numbers.equals(item, others[index] ?? ''))
    },
    lower: (value, bound) => {
      if (decimalOf(bound) !== undefined) return numbers.lower?.(value, bound) ?? bound
      const [items, allowed] = [itemsOf(value), itemsOf(bound)]
      const kept = items.filter((item) => allowed.includes(item))
      if (kept.length === 0) return bound
      return kept.length === items.length ? value : kept.join(between)
    },
    include: (value, items) => {
      const missing = [...new Set(items)].filter((item) => !itemsOf(value).includes(item))
      return missing.length === 0 ? value : [...itemsOf(value), ...missing].join(between)
    },
    exclude: (value, items) => {
      const kept = itemsOf(value).filter((item) => !items.includes(item))
      return kept.length === itemsOf(value).length ? value : kept.join(between)
    },
  }
}

/** Values without further rules: numbers by size, lists separated by spaces or commas, other text literally. */
export const VALUES: ValueOrder<string> = listsOf(/[\s,]+/, ' ')

/** Decimal numbers. */
export const NUMBERS: ValueOrder<string> = byNumber(decimalOf)

/** Decimal numbers where 0 means unlimited. */
export const COUNTS: ValueOrder<string> = byNumber((value) => {
  const count = decimalOf(value)
  return count === 0 ? Number.POSITIVE_INFINITY : count
})

/** C integers, including octal and hexadecimal ones. */
export const C_NUMBERS: ValueOrder<string> = byNumber(cNumberOf)

/** Case-insensitive words, and numbers. */
export const FOLDED: ValueOrder<string> = byNumberOrWord((word) => word.toLowerCase())

function byNumberOrWord(fold: (word: string) => string): ValueOrder<string> {
  const numbers = byNumber(decimalOf)
  return { ...numbers, equals: (left, right) => fold(left) === fold(right) || numbers.equals(left, right) }
}

/** Case-insensitive words, some of which are synonyms. */
export function synonyms(...groups: readonly (readonly string[])[]): ValueOrder<string> {
  const meaningOf = (word: string): number => groups.findIndex((group) => group.includes(word.toLowerCase()))
  return { equals: (left, right) => left === right || (meaningOf(left) >= 0 && meaningOf(left) === meaningOf(right)) }
}

/** Octal permission bits or umask bits: at least means all of these bits, at most no others. */
export const BITS: ValueOrder<string> = {
  equals: (left, right) => left === right || (bitsOf(left) !== undefined && bitsOf(left) === bitsOf(right)),
  raise: (value, bound) => joinBits(value, bound, (bits, limit) => bits | limit),
  lower: (value, bound) => joinBits(value, bound, (bits, limit) => bits & limit),
}

function bitsOf(text: string): number | undefined {
  return /^0*[0-7]{1,4}$/.test(text) ? Number.parseInt(text, 8) : undefined
}

function joinBits(value: string, bound: string, join: (bits: number, limit: number) => number): string {
  const [bits, limit] = [bitsOf(value), bitsOf(bound)]
  if (bits === undefined || limit === undefined) return bound
  const joined = join(bits, limit)
  return joined === bits ? value : joined.toString(8).padStart(bound.length, '0')
}
