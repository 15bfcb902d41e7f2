/** Largest and smallest values of Go's int64. */
export const INT64_MAX: bigint = 9223372036854775807n
export const INT64_MIN: bigint = -9223372036854775808n

/** Wraps the result of integer arithmetic to int64, like Go. */
export function wrapInt64(value: bigint): bigint {
  return BigInt.asIntN(64, value)
}

/** Whether the value fits into int64. */
export function isInt64(value: bigint): boolean {
  return value >= INT64_MIN && value <= INT64_MAX
}

/** Message for an integer beyond int64. */
export function tooLarge(value: bigint): string {
  return `the number ${value} does not fit into 64 bits, write it in quotes to keep it as text`
}

/** Go's `int64(f)`: truncates; values out of range become the smallest int64, as on amd64. */
export function floatToInt64(value: number): bigint {
  if (!Number.isFinite(value)) return INT64_MIN
  const whole = BigInt(Math.trunc(value))
  return isInt64(whole) ? whole : INT64_MIN
}

/** Go's `strconv.Atoi`: an optional sign and decimal digits, nothing else. Absent when the text is no int64. */
export function parseDecimalInt64(text: string): bigint | undefined {
  const match = /^[+-]?[0-9]{1,400}$/.exec(text)
  if (match === null) return undefined
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text)
  return isInt64(value) ? value : undefined
}

const DECIMAL_FLOAT = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/
const HEX_FLOAT = /^([+-]?)0[xX]([0-9a-fA-F]*)\.?([0-9a-fA-F]*)[pP]([+-]?[0-9]{1,6})$/

/** Go's `strconv.ParseFloat`. Absent when the text is no number or overflows to infinity. */
export function parseGoFloat(spelling: string): number | undefined {
  // Digits may be separated by underscores.
  const text = spelling.replaceAll(/(?<=[0-9])_(?=[0-9])/g, '')
  if (DECIMAL_FLOAT.test(text)) {
    const value = Number(text)
    return Number.isFinite(value) ? value : undefined
  }
  const special = /^([+-]?)(?:(inf|infinity)|nan)$/i.exec(text)
  if (special !== null) return special[2] === undefined ? NaN : special[1] === '-' ? -Infinity : Infinity
  return parseHexFloat(text)
}

function parseHexFloat(text: string): number | undefined {
  const match = HEX_FLOAT.exec(text)
  if (match === null) return undefined
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  if (whole === '' && fraction === '') return undefined
  const mantissa = Number(BigInt(`0x${whole}${fraction}`))
  const value = mantissa * 2 ** (Number(exponent) - 4 * fraction.length)
  if (!Number.isFinite(value)) return undefined
  return sign === '-' ? -value : value
}
