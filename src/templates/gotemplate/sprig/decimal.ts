import { BudgetError, TemplateError } from '../../errors.ts'
import { formatNonFinite, shortestDigits, type Budget, type GoValue } from '../../govalue/index.ts'
import { fixed, variadic, type TemplateFunction } from '../functions.ts'
import { toFloat64 } from './convert.ts'

/** An exact decimal number: `coefficient * 10**exponent`. */
interface Decimal {
  readonly coefficient: bigint
  readonly exponent: number
}

// Decimals after the point kept by a division.
const DIVISION_PLACES = 16

// Only a product of very many factors could be longer.
const MAX_EXPONENT = 10_000

function fromFloat(value: number): Decimal {
  const special = formatNonFinite(value)
  if (special !== undefined) throw new TemplateError(`Cannot create a Decimal from ${special}`)
  const { digits, pointPosition } = shortestDigits(Math.abs(value))
  const coefficient = BigInt(digits)
  return { coefficient: value < 0 ? -coefficient : coefficient, exponent: pointPosition - digits.length }
}

function toFloat({ coefficient, exponent }: Decimal): number {
  return Number(`${coefficient}e${exponent}`)
}

/** Coefficient of the number after lowering the exponent to `exponent`. */
function scaled(number: Decimal, exponent: number): bigint {
  return number.coefficient * 10n ** BigInt(number.exponent - exponent)
}

function sum(a: Decimal, b: Decimal, sign: 1n | -1n): Decimal {
  const exponent = Math.min(a.exponent, b.exponent)
  return { coefficient: scaled(a, exponent) + sign * scaled(b, exponent), exponent }
}

function product(a: Decimal, b: Decimal): Decimal {
  return { coefficient: a.coefficient * b.coefficient, exponent: a.exponent + b.exponent }
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value
}

/** The quotient to 16 decimals, halves rounded away from zero. */
function quotient(a: Decimal, b: Decimal): Decimal {
  if (b.coefficient === 0n) throw new TemplateError('decimal division by 0')
  const exponent = Math.min(a.exponent, b.exponent)
  const dividend = magnitude(scaled(a, exponent)) * 10n ** BigInt(DIVISION_PLACES)
  const divisor = magnitude(scaled(b, exponent))
  const rounded = (dividend * 2n + divisor) / (divisor * 2n)
  const negative = a.coefficient < 0n !== b.coefficient < 0n
  return { coefficient: negative ? -rounded : rounded, exponent: -DIVISION_PLACES }
}

function combine(values: readonly GoValue[], operation: (a: Decimal, b: Decimal) => Decimal, budget: Budget): number {
  const [first, ...rest] = values.map((value) => fromFloat(toFloat64(value)))
  if (first === undefined) return 0
  const result = rest.reduce((a, b) => {
    budget.step()
    const next = operation(a, b)
    if (Math.abs(next.exponent) > MAX_EXPONENT) throw new BudgetError('decimal number has too many digits')
    return next
  }, first)
  return toFloat(result)
}

const FIRST_AND_LIST = [['any'], 'any'] as const

/** Float arithmetic with exact decimals, so that 0.1 + 0.2 is 0.3. */
export const DECIMAL_FUNCTIONS: readonly TemplateFunction[] = [
  fixed('add1f', ['any'], ([value], { budget }) => combine([value, 1n], (a, b) => sum(a, b, 1n), budget)),
  variadic('addf', [[], 'any'], (_, values, { budget }) => combine([0n, ...values], (a, b) => sum(a, b, 1n), budget)),
  variadic('subf', FIRST_AND_LIST, ([first], more, { budget }) =>
    combine([first, ...more], (a, b) => sum(a, b, -1n), budget),
  ),
  variadic('mulf', FIRST_AND_LIST, ([first], more, { budget }) => combine([first, ...more], product, budget)),
  variadic('divf', FIRST_AND_LIST, ([first], more, { budget }) => combine([first, ...more], quotient, budget)),
]
