/** The shortest decimal digits that read back as the same float, as `0.ddd * 10**pointPosition`. */
export interface FloatDigits {
  readonly digits: string
  readonly pointPosition: number
}

/** Splits a finite, non-negative float into its shortest round-trip digits. Zero is `0` with point position 1. */
export function shortestDigits(value: number): FloatDigits {
  const [mantissa = '0', exponent = '0'] = value.toExponential().split('e')
  return { digits: mantissa.replace('.', ''), pointPosition: Number(exponent) + 1 }
}

/** NaN and the infinities as Go prints them; absent for every finite float. */
export function formatNonFinite(value: number): string | undefined {
  if (Number.isNaN(value)) return 'NaN'
  if (Number.isFinite(value)) return undefined
  return value > 0 ? '+Inf' : '-Inf'
}

/** Go's `%v` of a float64: shortest digits, exponent form iff the exponent is below -4 or above 5. */
export function formatGoFloat(value: number): string {
  const special = formatNonFinite(value)
  if (special !== undefined) return special
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  const { digits, pointPosition } = shortestDigits(Math.abs(value))
  const exponent = pointPosition - 1
  if (exponent < -4 || exponent > 5) return sign + exponentForm(digits, exponent)
  return sign + plainForm(digits, pointPosition)
}

/** Go's `FormatFloat(f, 'f', -1, 64)`: shortest digits and never an exponent. */
export function formatPlainFloat(value: number): string {
  const special = formatNonFinite(value)
  if (special !== undefined) return special
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  const { digits, pointPosition } = shortestDigits(Math.abs(value))
  return sign + plainForm(digits, pointPosition)
}

function exponentForm(digits: string, exponent: number): string {
  const mantissa = digits.length > 1 ? `${digits[0]}.${digits.slice(1)}` : digits
  const size = String(Math.abs(exponent)).padStart(2, '0')
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${size}`
}

function plainForm(digits: string, pointPosition: number): string {
  if (pointPosition <= 0) return `0.${'0'.repeat(-pointPosition)}${digits}`
  if (digits.length <= pointPosition) return digits.padEnd(pointPosition, '0')
  return `${digits.slice(0, pointPosition)}.${digits.slice(pointPosition)}`
}
