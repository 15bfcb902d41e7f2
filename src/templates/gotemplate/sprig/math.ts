import { TemplateError } from '../../errors.ts'
import { formatGoValue, isInt64, wrapInt64, type Budget, type GoInt64, type GoValue } from '../../govalue/index.ts'
import { fixed, renamed, variadic, type TemplateFunction } from '../functions.ts'
import { goInt64 } from '../kinds.ts'
import { toFloat64, toInt64 } from './convert.ts'

function divide(a: GoValue, b: GoValue, operation: (a: bigint, b: bigint) => bigint): GoInt64 {
  const divisor = toInt64(b)
  if (divisor === 0n) throw new TemplateError('runtime error: integer divide by zero')
  return goInt64(operation(toInt64(a), divisor))
}

function reduceInt64(values: readonly GoValue[], operation: (a: bigint, b: bigint) => bigint): GoInt64 {
  return goInt64(values.map(toInt64).reduce((a, b) => wrapInt64(operation(a, b))))
}

function untilStep(start: bigint, stop: bigint, step: bigint, budget: Budget): bigint[] {
  const numbers: bigint[] = []
  if (step === 0n || stop > start !== step > 0n) return numbers
  for (let number = start; step > 0n ? number < stop : number > stop; number += step) {
    budget.produce(1)
    numbers.push(number)
  }
  return numbers
}

/** Like seq(1): `last`, `first last` or `first step last`, both ends included. */
function sequence(numbers: readonly bigint[], budget: Budget): string {
  const [first = 0n, second = 0n, third = 0n] = numbers
  switch (numbers.length) {
    case 1:
      return sequenceTo(1n, first, undefined, budget)
    case 2:
      return sequenceTo(first, second, undefined, budget)
    case 3:
      if (third < first && second > 0n) return ''
      return sequenceTo(first, third, second, budget)
    default:
      return ''
  }
}

function sequenceTo(first: bigint, last: bigint, step: bigint | undefined, budget: Budget): string {
  const direction = last < first ? -1n : 1n
  return untilStep(first, last + direction, step ?? direction, budget).join(' ')
}

function round(value: GoValue, places: bigint, options: readonly number[]): number {
  const [roundOn = 0.5] = options
  // `10 **` is off by one bit for some negative places.
  const power = Number(`1e${places}`)
  const digit = power * toFloat64(value)
  const fraction = digit % 1
  return (fraction >= roundOn ? Math.ceil(digit) : Math.floor(digit)) / power
}

/** Parses the printed value as octal digits; invalid digits are 0. */
function octal(value: GoValue, budget: Budget): bigint {
  const match = /^([+-]?)([0-7]{1,30})$/.exec(formatGoValue(value, budget))
  if (match === null) return 0n
  const [, sign, digits = '0'] = match
  const number = BigInt(`0o${digits}`) * (sign === '-' ? -1n : 1n)
  return isInt64(number) ? number : 0n
}

function atoi(text: string): bigint {
  if (!/^[+-]?[0-9]{1,40}$/.test(text)) return 0n
  const number = BigInt(text.replace(/^\+/, ''))
  if (isInt64(number)) return number
  // sprig ignores the error of strconv.Atoi, which comes with the nearest int.
  return number < 0n ? -(2n ** 63n) : 2n ** 63n - 1n
}

const FIRST_AND_LIST = [['any'], 'any'] as const

const max = variadic('max', FIRST_AND_LIST, ([first], more) => reduceInt64([first, ...more], (a, b) => (b > a ? b : a)))

/** Integer arithmetic, which returns an int64 and wraps like Go's, and rounding of floats. */
export const MATH_FUNCTIONS: readonly TemplateFunction[] = [
  fixed('add1', ['any'], ([value]) => goInt64(toInt64(value) + 1n)),
  variadic('add', [[], 'any'], (_, values) => reduceInt64([0n, ...values], (a, b) => a + b)),
  fixed('sub', ['any', 'any'], ([a, b]) => goInt64(toInt64(a) - toInt64(b))),
  fixed('div', ['any', 'any'], ([a, b]) => divide(a, b, (x, y) => x / y)),
  fixed('mod', ['any', 'any'], ([a, b]) => divide(a, b, (x, y) => x % y)),
  variadic('mul', FIRST_AND_LIST, ([first], more) => reduceInt64([first, ...more], (a, b) => a * b)),
  max,
  renamed(max, 'biggest'),
  variadic('min', FIRST_AND_LIST, ([first], more) => reduceInt64([first, ...more], (a, b) => (b < a ? b : a))),
  variadic('maxf', FIRST_AND_LIST, ([first], more) => Math.max(toFloat64(first), ...more.map(toFloat64))),
  variadic('minf', FIRST_AND_LIST, ([first], more) => Math.min(toFloat64(first), ...more.map(toFloat64))),
  fixed('ceil', ['any'], ([value]) => Math.ceil(toFloat64(value))),
  fixed('floor', ['any'], ([value]) => Math.floor(toFloat64(value))),
  variadic('round', [['any', 'integer'], 'float'], ([value, places], options) => round(value, places, options)),
  fixed('int', ['any'], ([value]) => toInt64(value)),
  fixed('int64', ['any'], ([value]) => goInt64(toInt64(value))),
  fixed('float64', ['any'], ([value]) => toFloat64(value)),
  fixed('atoi', ['string'], ([text]) => atoi(text)),
  fixed('toDecimal', ['any'], ([value], { budget }) => goInt64(octal(value, budget))),
  fixed('until', ['integer'], ([count], { budget }) => untilStep(0n, count, count < 0n ? -1n : 1n, budget)),
  fixed('untilStep', ['integer', 'integer', 'integer'], ([start, stop, step], { budget }) =>
    untilStep(start, stop, step, budget),
  ),
  variadic('seq', [[], 'integer'], (_, numbers, { budget }) => sequence(numbers, budget)),
]
