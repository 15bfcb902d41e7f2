/**
 * Go's `math.Pow`, whose last digit differs from JavaScript's `**`: it multiplies the mantissas of the squares and tracks the
 * exponent separately.
 * @see https://github.com/golang/go/blob/master/src/math/pow.go
 */
export function goPow(base: number, exponent: number): number {
  const special = specialPower(base, exponent)
  if (special !== undefined) return special
  const size = Math.abs(exponent)
  let whole = Math.trunc(size)
  let fraction = size - whole
  if (fraction !== 0 && base < 0) return NaN
  if (whole >= 2 ** 63) return Math.abs(base) < 1 === exponent > 0 ? 0 : Infinity
  let mantissa = 1
  if (fraction !== 0) {
    if (fraction > 0.5) {
      fraction -= 1
      whole += 1
    }
    mantissa = Math.exp(fraction * Math.log(base))
  }
  const power = wholePower(base, whole)
  mantissa *= power.mantissa
  return exponent < 0 ? scaleByPower(1 / mantissa, -power.exponent) : scaleByPower(mantissa, power.exponent)
}

function specialPower(base: number, exponent: number): number | undefined {
  if (exponent === 0 || base === 1) return 1
  if (exponent === 1) return base
  if (exponent === 0.5) return Math.sqrt(base)
  if (exponent === -0.5) return 1 / Math.sqrt(base)
  if (base === -1 && Math.abs(exponent) >= 2 ** 53) return 1
  // Without rounding, both languages agree.
  const isExact = base === 0 || !Number.isFinite(base) || !Number.isFinite(exponent)
  return isExact ? base ** exponent : undefined
}

interface Power {
  readonly mantissa: number
  readonly exponent: number
}

// Beyond this exponent the result is infinite or 0.
const LARGEST_EXPONENT = 2 ** 12

/** Integer power by squaring, as a mantissa and an exponent of 2. */
function wholePower(base: number, power: number): Power {
  let { mantissa: factor, exponent: shift } = split(base)
  let mantissa = 1
  let exponent = 0
  for (let rest = BigInt(power); rest !== 0n; rest >>= 1n) {
    if (Math.abs(shift) > LARGEST_EXPONENT) return { mantissa, exponent: exponent + shift }
    if (rest % 2n === 1n) {
      mantissa *= factor
      exponent += shift
    }
    factor *= factor
    shift *= 2
    if (factor < 0.5) {
      factor += factor
      shift -= 1
    }
  }
  return { mantissa, exponent }
}

/** `Frexp`: a number as a mantissa between one half and 1 and an exponent of 2. */
function split(value: number): Power {
  const view = new DataView(new ArrayBuffer(8))
  const isSubnormal = Math.abs(value) < 2 ** -1022
  view.setFloat64(0, isSubnormal ? value * 2 ** 52 : value)
  const head = view.getUint16(0)
  view.setUint16(0, (head & 0x800f) | (1022 << 4))
  return { mantissa: view.getFloat64(0), exponent: ((head >> 4) & 0x7ff) - 1022 - (isSubnormal ? 52 : 0) }
}

/** `Ldexp`, in steps, so that neither an exponent overflows nor a subnormal result is rounded twice. */
function scaleByPower(mantissa: number, exponent: number): number {
  const { mantissa: unit, exponent: own } = split(mantissa)
  const total = own + exponent
  if (total > 1024) return mantissa < 0 ? -Infinity : Infinity
  if (total < -1080) return mantissa < 0 ? -0 : 0
  return total > 0 ? unit * 2 * 2 ** (total - 1) : unit * 2 ** Math.max(total, -1000) * 2 ** Math.min(total + 1000, 0)
}
