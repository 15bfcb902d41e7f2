import type { TreeScalar } from './tree.ts'

const NOT_TEXT = /^[-+.\d~nNtTfF]/
const WHOLE = /^[-+]?\d+$/
const OTHER_BASE = /^0(?:o[0-7]+|x[\da-fA-F]+)$/
const FRACTION = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/
const INFINITY = /^[-+]?\.(?:inf|Inf|INF)$/
const NOT_A_NUMBER = /^\.(?:nan|NaN|NAN)$/
const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ...['~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
])

/** The value of a plain scalar. @see YAML 1.2.2, section 10.3.2, the core schema */
export function resolvePlain(text: string): TreeScalar['value'] {
  if (!NOT_TEXT.test(text)) return text
  const word = WORDS.get(text)
  if (word !== undefined) return word
  if (WHOLE.test(text)) return wholeNumber(BigInt(text.replace(/^\+/, '')))
  if (OTHER_BASE.test(text)) return wholeNumber(BigInt(text))
  if (FRACTION.test(text)) return Number(text)
  if (INFINITY.test(text)) return text.startsWith('-') ? -Infinity : Infinity
  return NOT_A_NUMBER.test(text) ? NaN : text
}

/** An integer as a number if that is exact, otherwise as a bigint. */
export function wholeNumber(value: bigint): number | bigint {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}
