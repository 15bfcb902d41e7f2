import { shortestDigits, type FloatDigits } from '../../govalue/index.ts'

/** Parts of a finite float64: `mantissa * 2**exponent`. */
export interface BinaryFloat {
  readonly mantissa: bigint
  readonly exponent: number
}

/** Splits a finite, non-negative float into its stored parts. */
export function toBinary(value: number): BinaryFloat {
  const bits = new BigUint64Array(Float64Array.of(value).buffer)[0] ?? 0n
  const stored = Number((bits >> 52n) & 0x7ffn)
  const fraction = bits & 0xfffffffffffffn
  if (stored === 0) return { mantissa: fraction, exponent: -1074 }
  return { mantissa: fraction | 0x10000000000000n, exponent: stored - 1075 }
}

/** All decimal digits of a float: its exact value. Zero has no digits. */
function exactDigits(value: number): FloatDigits {
  const { mantissa, exponent } = toBinary(value)
  if (mantissa === 0n) return { digits: '', pointPosition: 0 }
  if (exponent >= 0) {
    const whole = (mantissa << BigInt(exponent)).toString()
    return { digits: whole.replace(/0+$/, ''), pointPosition: whole.length }
  }
  const digits = (mantissa * 5n ** BigInt(-exponent)).toString()
  return { digits: digits.replace(/0+$/, ''), pointPosition: digits.length + exponent }
}

/** Rounds digits to the first `count` of them, half to even. */
function roundDigits({ digits, pointPosition }: FloatDigits, count: number): FloatDigits {
  if (count >= digits.length) return { digits, pointPosition }
  if (count < 0) return { digits: '', pointPosition: 0 }
  const kept = digits.slice(0, count)
  const rest = digits.slice(count)
  const isHalf = /^50*$/.test(rest)
  const roundsUp = isHalf ? Number(kept.at(-1) ?? '0') % 2 === 1 : rest >= '5'
  const rounded = roundsUp ? (BigInt(`0${kept}`) + 1n).toString().padStart(count, '0') : kept
  const carried = rounded.length > count
  return { digits: rounded.replace(/0+$/, ''), pointPosition: carried ? pointPosition + 1 : pointPosition }
}

/** Number of digits: the shortest round-trip form, significant digits, or decimals after the point. */
export type DigitRequest =
  | { readonly kind: 'shortest' }
  | { readonly kind: 'significant'; readonly count: number }
  | { readonly kind: 'decimals'; readonly count: number }

/** Digits of a finite, non-negative float as `0.ddd * 10**pointPosition`, without trailing zeros. */
export function digitsOf(value: number, request: DigitRequest): FloatDigits {
  if (request.kind === 'shortest') {
    if (value === 0) return { digits: '', pointPosition: 0 }
    const { digits, pointPosition } = shortestDigits(value)
    return { digits: digits.replace(/0+$/, ''), pointPosition }
  }
  const exact = exactDigits(value)
  const count = request.kind === 'significant' ? request.count : exact.pointPosition + request.count
  const rounded = roundDigits(exact, count)
  return rounded.digits === '' ? { digits: '', pointPosition: 0 } : rounded
}
