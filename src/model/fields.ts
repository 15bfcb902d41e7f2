import type { ValueOrder } from './acceptance.ts'

const INTEGER = /^[+-]?(?:0[xX][0-9a-fA-F]+|\d+)$/

/**
 * A value in one spelling: fields with one space between them, and whole numbers in decimal, where the kernel takes `0x10` and
 * `020` as 16.
 */
export function canonical(value: string): string {
  return fieldsOf(value)
    .map((field) => integerOf(field)?.toString() ?? field)
    .join(' ')
}

/** The fields of a text that spaces, tabs and ends of lines part. */
export function fieldsOf(value: string): readonly string[] {
  return value.split(/[ \t\n\r]+/).filter((field) => field !== '')
}

/** The whole number that a field is, if it is one. */
export function integerOf(field: string): bigint | undefined {
  if (!INTEGER.test(field)) return undefined
  const digits = field.replace(/^[+-]/, '')
  const isOctal = /^0\d/.test(digits)
  if (isOctal && /[89]/.test(digits)) return undefined
  const magnitude = BigInt(isOctal ? `0o${digits}` : digits)
  return field.startsWith('-') ? -magnitude : magnitude
}

/** How values compare: as texts of fields, and single whole numbers by their size, too. */
export const FIELDS: ValueOrder<string> = {
  equals: (left, right) => canonical(left) === canonical(right),
  raise: (value, bound) => nearest(value, bound, (number, least) => number >= least),
  lower: (value, bound) => nearest(value, bound, (number, most) => number <= most),
}

/** What is no number is never within bounds. */
function nearest(value: string, bound: string, isWithin: (number: bigint, bound: bigint) => boolean): string {
  const [number, limit] = [integerOf(value.trim()), integerOf(bound.trim())]
  return number !== undefined && limit !== undefined && isWithin(number, limit) ? value : bound
}
