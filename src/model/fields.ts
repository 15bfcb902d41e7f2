import type { ValueOrder } from './acceptance.ts'

const INTEGER = /^[+-]?(?:0[xX][0-9a-fA-F]+|\d+)$/

/**
 * Canonical spelling of a value: fields separated by one space, integers in decimal, where the kernel reads both `0x10`
 * and `020` as 16.
 */
export function canonical(value: string): string {
  return fieldsOf(value)
    .map((field) => integerOf(field)?.toString() ?? field)
    .join(' ')
}

/** The fields of a text, separated by spaces, tabs and line ends. */
export function fieldsOf(value: string): readonly string[] {
  return value.split(/[ \t\n\r]+/).filter((field) => field !== '')
}

/** Parses a field as an integer in C notation; undefined if it is not an integer. */
export function integerOf(field: string): bigint | undefined {
  if (!INTEGER.test(field)) return undefined
  const digits = field.replace(/^[+-]/, '')
  const isOctal = /^0\d/.test(digits)
  if (isOctal && /[89]/.test(digits)) return undefined
  const magnitude = BigInt(isOctal ? `0o${digits}` : digits)
  return field.startsWith('-') ? -magnitude : magnitude
}

/** Compares values as fields; single integers also by size. */
export const FIELDS: ValueOrder<string> = {
  equals: (left, right) => canonical(left) === canonical(right),
  raise: (value, bound) => nearestNumber(value, bound, (number, least) => number >= least),
  lower: (value, bound) => nearestNumber(value, bound, (number, most) => number <= most),
}

/** A value that is not an integer is never within bounds. */
function nearestNumber(value: string, bound: string, isWithin: (number: bigint, bound: bigint) => boolean): string {
  const [number, limit] = [integerOf(value.trim()), integerOf(bound.trim())]
  return number !== undefined && limit !== undefined && isWithin(number, limit) ? value : bound
}
