import { formatNonFinite, type Budget, type FloatDigits } from '../../govalue/index.ts'
import { digitsOf, toBinary } from './float-digits.ts'
import { pad, padding, zeros, type Flags } from './flags.ts'

/** Precision for the shortest exact form. */
const SHORTEST = -1

const DEFAULT_PRECISIONS: Readonly<Record<string, number>> = {
  v: SHORTEST,
  b: SHORTEST,
  g: SHORTEST,
  G: SHORTEST,
  x: SHORTEST,
  X: SHORTEST,
  f: 6,
  F: 6,
  e: 6,
  E: 6,
}

/** Formats a float for a verb; undefined if the verb is not for floats. */
export function formatFloat(value: number, verb: string, flags: Flags): string | undefined {
  const standard = Object.hasOwn(DEFAULT_PRECISIONS, verb) ? DEFAULT_PRECISIONS[verb] : undefined
  if (standard === undefined) return undefined
  const format = verb === 'v' ? 'g' : verb === 'F' ? 'f' : verb
  const precision = flags.precision ?? standard
  const negative = value < 0 || Object.is(value, -0)
  const sign = negative ? '-' : flags.plus ? '+' : flags.space ? ' ' : ''
  const special = formatNonFinite(value)
  if (special !== undefined) return formatSpecial(special, sign, flags)
  let number = plainFloat(Math.abs(value), format, precision, flags.budget)
  if (flags.sharp && format !== 'b') number = keepPoint(number, format, precision, flags.budget)
  const { width } = flags
  if (sign !== '' && flags.zero && !flags.minus && width !== undefined && width > sign.length + number.length) {
    return sign + padding(width - sign.length - number.length, flags) + number
  }
  return pad(sign + number, flags)
}

// NaN has a sign only with the flag; neither is padded with zeros.
function formatSpecial(special: string, sign: string, flags: Flags): string {
  const name = special.replace(/^[+-]/, '')
  const spaced = { ...flags, zero: false }
  if (name === 'NaN') return pad((flags.plus ? '+' : flags.space ? ' ' : '') + name, spaced)
  return pad(sign === '' && special.startsWith('+') ? `+${name}` : sign + name, spaced)
}

function plainFloat(value: number, format: string, precision: number, budget: Budget): string {
  switch (format) {
    case 'b':
      return binaryForm(value)
    case 'x':
    case 'X':
      return hexForm(value, format, precision, budget)
    case 'e':
    case 'E':
      return exponentFormOf(value, format, precision, budget)
    case 'f':
      return pointFormOf(value, precision, budget)
    default:
      return generalForm(value, format, precision, budget)
  }
}

function exponentFormOf(value: number, format: string, precision: number, budget: Budget): string {
  const digits =
    precision === SHORTEST
      ? digitsOf(value, { kind: 'shortest' })
      : digitsOf(value, { kind: 'significant', count: precision + 1 })
  return exponentForm(
    digits,
    format,
    precision === SHORTEST ? Math.max(digits.digits.length - 1, 0) : precision,
    budget,
  )
}

function pointFormOf(value: number, precision: number, budget: Budget): string {
  const digits =
    precision === SHORTEST
      ? digitsOf(value, { kind: 'shortest' })
      : digitsOf(value, { kind: 'decimals', count: precision })
  const decimals = Math.max(digits.digits.length - digits.pointPosition, 0)
  return pointForm(digits, precision === SHORTEST ? decimals : precision, budget)
}

function exponentForm(
  { digits, pointPosition }: FloatDigits,
  format: string,
  decimals: number,
  budget: Budget,
): string {
  const first = digits.slice(0, 1) || '0'
  const rest = digits.slice(1, decimals + 1)
  const fraction = decimals > 0 ? `.${rest}${zeros(decimals - rest.length, budget)}` : ''
  const exponent = digits === '' ? 0 : pointPosition - 1
  const size = String(Math.abs(exponent)).padStart(2, '0')
  return `${first}${fraction}${format}${exponent < 0 ? '-' : '+'}${size}`
}

function pointForm({ digits, pointPosition }: FloatDigits, decimals: number, budget: Budget): string {
  const whole = pointPosition > 0 ? digits.slice(0, pointPosition).padEnd(pointPosition, '0') : '0'
  if (decimals <= 0) return whole
  const leading = zeros(Math.min(decimals, Math.max(-pointPosition, 0)), budget)
  const rest = digits.slice(Math.max(pointPosition, 0)).slice(0, decimals - leading.length)
  return `${whole}.${leading}${rest}${zeros(decimals - leading.length - rest.length, budget)}`
}

function generalForm(value: number, format: string, precision: number, budget: Budget): string {
  const shortest = precision === SHORTEST
  const count = precision === 0 ? 1 : precision
  const digits = digitsOf(value, shortest ? { kind: 'shortest' } : { kind: 'significant', count })
  const length = digits.digits.length
  let limit = shortest ? 6 : count
  if (!shortest && limit > length && length >= digits.pointPosition) limit = length
  const exponent = digits.pointPosition - 1
  if (exponent < -4 || exponent >= limit) {
    const mantissa = shortest ? length : Math.min(count, length)
    return exponentForm(digits, format === 'g' ? 'e' : 'E', mantissa - 1, budget)
  }
  return pointForm(digits, Math.max(length - digits.pointPosition, 0), budget)
}

/** `%b`: the stored mantissa and a power of two. */
function binaryForm(value: number): string {
  const { mantissa, exponent } = toBinary(value)
  return `${mantissa}p${exponent < 0 ? '-' : '+'}${Math.abs(exponent)}`
}

/** `%x`: hexadecimal mantissa between one and two, and a power of two. */
function hexForm(value: number, format: string, precision: number, budget: Budget): string {
  let { mantissa, exponent } = toBinary(value)
  if (mantissa === 0n) exponent = 0
  else {
    // One bit before the point and 60 after it: a whole number of hexadecimal digits.
    const shift = 61 - mantissa.toString(2).length
    mantissa <<= BigInt(shift)
    exponent += 60 - shift
  }
  if (precision !== SHORTEST && precision < 15) {
    mantissa = roundBits(mantissa, BigInt((15 - precision) * 4))
    if (mantissa >> 61n !== 0n) {
      mantissa >>= 1n
      exponent += 1
    }
  }
  const fraction = (mantissa & 0xfffffffffffffffn).toString(16).padStart(15, '0')
  const shown = precision === SHORTEST ? fraction.replace(/0+$/, '') : fraction.slice(0, precision)
  const filled = shown + zeros(precision - shown.length, budget)
  const size = String(Math.abs(exponent)).padStart(2, '0')
  const text = `0x${mantissa >> 60n}${filled === '' ? '' : `.${filled}`}p${exponent < 0 ? '-' : '+'}${size}`
  return format === 'X' ? text.toUpperCase() : text
}

/** Clears the last `bits` bits, rounding half to even. */
function roundBits(value: bigint, bits: bigint): bigint {
  const unit = 1n << bits
  const rest = value % unit
  const floor = value - rest
  if (rest * 2n > unit || (rest * 2n === unit && (floor >> bits) % 2n === 1n)) return floor + unit
  return floor
}

/** The `#` flag: always a point, and zeros up to the precision. */
function keepPoint(number: string, format: string, precision: number, budget: Budget): string {
  const isHex = format === 'x' || format === 'X'
  const tailStart = number.search(isHex ? /[pP]/ : /[eE]/)
  const tail = tailStart < 0 ? '' : number.slice(tailStart)
  const head = tailStart < 0 ? number : number.slice(0, tailStart)
  let missing = format === 'g' || format === 'G' || format === 'x' ? (precision === SHORTEST ? 6 : precision) : 0
  const significant = head.replace('.', '').replace(/^0+/, '')
  missing -= significant.length
  const hasPoint = head.includes('.')
  if (!hasPoint && head === '0') missing -= 1
  return `${head}${hasPoint ? '' : '.'}${zeros(missing, budget)}${tail}`
}
