import { quoteGoRune } from '../go-quote.ts'
import { isPrint } from '../runes.ts'
import { padding, padWithSpaces, pad, zeros, type Flags } from './flags.ts'

const BASES: Readonly<Record<string, number>> = { v: 10, d: 10, b: 2, o: 8, O: 8, x: 16, X: 16 }

/** Formats an int for a verb; undefined if the verb is not for integers. */
export function formatInteger(value: bigint, verb: string, flags: Flags): string | undefined {
  const base = Object.hasOwn(BASES, verb) ? BASES[verb] : undefined
  if (base !== undefined) return formatInBase(value, base, verb, flags)
  switch (verb) {
    case 'c':
      return pad(runeOf(value), flags)
    case 'q':
      return pad(quoteGoRune(runeOf(value), flags.plus ? 'ascii' : 'printable'), flags)
    case 'U':
      return formatUnicode(value, flags)
    default:
      return undefined
  }
}

function runeOf(value: bigint): string {
  const isRune = value >= 0n && value <= 0x10ffffn && !(value >= 0xd800n && value <= 0xdfffn)
  return isRune ? String.fromCodePoint(Number(value)) : '\ufffd'
}

function formatInBase(value: bigint, base: number, verb: string, flags: Flags): string {
  const { precision, width } = flags
  const negative = value < 0n
  const sign = negative ? '-' : flags.plus ? '+' : flags.space ? ' ' : ''
  if (precision === 0 && value === 0n) return padding(width ?? 0, { ...flags, zero: false })
  let digits = (negative ? -value : value).toString(base)
  if (verb === 'X') digits = digits.toUpperCase()
  let wanted = precision ?? 0
  if (precision === undefined && flags.zero && !flags.minus && width !== undefined) wanted = width - sign.length
  digits = zeros(wanted - digits.length, flags.budget) + digits
  return padWithSpaces(sign + prefixOf(base, digits, verb, flags.sharp) + digits, flags)
}

function prefixOf(base: number, digits: string, verb: string, sharp: boolean): string {
  if (verb === 'O') return sharp && !digits.startsWith('0') ? '0o0' : '0o'
  if (!sharp) return ''
  if (base === 2) return '0b'
  if (base === 8) return digits.startsWith('0') ? '' : '0'
  if (base === 16) return verb === 'X' ? '0X' : '0x'
  return ''
}

function formatUnicode(value: bigint, flags: Flags): string {
  const code = BigInt.asUintN(64, value)
  const digits = code.toString(16).toUpperCase()
  const text = `U+${zeros(Math.max(4, flags.precision ?? 4) - digits.length, flags.budget)}${digits}`
  const rune = code <= 0x10ffffn ? runeOf(code) : ''
  return padWithSpaces(flags.sharp && isPrint(rune) ? `${text} '${rune}'` : text, flags)
}
