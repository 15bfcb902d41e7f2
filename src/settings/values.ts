import type { ValueOrder } from '../model/acceptance.ts'
import { integerOf } from '../model/fields.ts'
import { withBlanksOfC } from './blanks.ts'

/** What a text means, where it means something in an order; undefined where it does not. */
type Reader = (text: string) => number | undefined

/** Values that mean a number: equal where that is, and in its order. What means none is never within bounds. */
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

/** A decimal number; a leading zero means nothing. */
export function decimalOf(text: string): number | undefined {
  return /^[+-]?\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined
}

/** A number as strtol(3) reads it with base 0: `0x1f` and `037` are 31. */
export function cNumberOf(text: string): number | undefined {
  const number = integerOf(text)
  return number === undefined ? undefined : Number(number)
}

/** Values that are lists: parted by any of these characters, and written with the text between items. */
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

/** Of what nothing more is known: numbers by their size, items parted by spaces or commas, all else as it is written. */
export const VALUES: ValueOrder<string> = listsOf(/[\s,]+/, ' ')

/** Decimal numbers. */
export const NUMBERS: ValueOrder<string> = byNumber(decimalOf)

/** Decimal numbers of which 0 sets no limit, and is more than any other. */
export const COUNTS: ValueOrder<string> = byNumber((value) => {
  const count = decimalOf(value)
  return count === 0 ? Number.POSITIVE_INFINITY : count
})

/** Numbers as C programs read them that take octal and hexadecimal ones, too. */
export const C_NUMBERS: ValueOrder<string> = byNumber(cNumberOf)

/** Words whose case does not matter, and numbers. */
export const FOLDED: ValueOrder<string> = byNumberOrWord((word) => word.toLowerCase())

function byNumberOrWord(fold: (word: string) => string): ValueOrder<string> {
  const numbers = byNumber(decimalOf)
  return { ...numbers, equals: (left, right) => fold(left) === fold(right) || numbers.equals(left, right) }
}

/** Words of which several mean the same, in any case. */
export function synonyms(...groups: readonly (readonly string[])[]): ValueOrder<string> {
  const meaningOf = (word: string): number => groups.findIndex((group) => group.includes(word.toLowerCase()))
  return { equals: (left, right) => left === right || (meaningOf(left) >= 0 && meaningOf(left) === meaningOf(right)) }
}

/** Permission bits or what a umask takes away, in octal: at least is all of these bits, at most no other one. */
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
