import { countRunes, type Budget } from '../../govalue/index.ts'
import { chargeText } from '../text-value.ts'

/** Flags, width and precision of one printf verb, and the budget for its text. */
export interface Flags {
  minus: boolean
  plus: boolean
  sharp: boolean
  space: boolean
  zero: boolean
  /** `%#v`: the sharp flag has another meaning for `v`. */
  sharpV: boolean
  width: number | undefined
  precision: number | undefined
  readonly budget: Budget
}

/** Flags of a verb without any. */
export function noFlags(budget: Budget): Flags {
  return {
    minus: false,
    plus: false,
    sharp: false,
    space: false,
    zero: false,
    sharpV: false,
    width: undefined,
    precision: undefined,
    budget,
  }
}

/** `count` characters of padding: zeros only to the left. */
export function padding(count: number, flags: Flags): string {
  if (count <= 0) return ''
  chargeText(flags.budget, count)
  return (flags.zero && !flags.minus ? '0' : ' ').repeat(count)
}

/** `count` zeros in front of a number. */
export function zeros(count: number, budget: Budget): string {
  if (count <= 0) return ''
  chargeText(budget, count)
  return '0'.repeat(count)
}

/** Pads the text to the width, counted in runes. */
export function pad(text: string, flags: Flags): string {
  if (flags.width === undefined) return text
  const fill = padding(flags.width - countRunes(text), flags)
  return flags.minus ? text + fill : fill + text
}

/** Pads with spaces, independent of the zero flag. */
export function padWithSpaces(text: string, flags: Flags): string {
  return pad(text, { ...flags, zero: false })
}
