import { decodeUtf8, encodeUtf8, parseGoFloat } from '../govalue/index.ts'

// Go's strconv has one message for all invalid literals.
const INVALID = 'invalid syntax'

export type Literal<T> = { readonly value: T } | { readonly message: string }

const SIMPLE_ESCAPES: ReadonlyMap<string, number> = new Map([
  ['a', 0x07],
  ['b', 0x08],
  ['f', 0x0c],
  ['n', 0x0a],
  ['r', 0x0d],
  ['t', 0x09],
  ['v', 0x0b],
  ['\\', 0x5c],
  ["'", 0x27],
  ['"', 0x22],
])

interface Escaped {
  readonly code: number
  readonly end: number
  /** `byte`: the code is a byte of the UTF-8 text (`\xHH`, octal); `rune`: it is a code point. */
  readonly unit: 'byte' | 'rune'
}

/** Go's `strconv.Unquote` for a string in double quotes or backticks; `text` includes the quotes. */
export function unquoteString(text: string): Literal<string> {
  const inner = text.slice(1, -1)
  if (text.startsWith('`')) return { value: inner.replaceAll('\r', '') }
  if (!inner.includes('\\')) return { value: inner }
  const parts: Uint8Array[] = []
  let position = 0
  for (let next = inner.indexOf('\\'); next >= 0; next = inner.indexOf('\\', position)) {
    const escaped = readEscape(inner, next, '"')
    if (escaped === undefined) return { message: INVALID }
    parts.push(encodeUtf8(inner.slice(position, next)), bytesOf(escaped))
    position = escaped.end
  }
  parts.push(encodeUtf8(inner.slice(position)))
  return { value: decodeUtf8(Buffer.concat(parts)) }
}

function bytesOf({ code, unit }: Escaped): Uint8Array {
  return unit === 'byte' ? Uint8Array.of(code) : encodeUtf8(String.fromCodePoint(code))
}

/** The code of a character in single quotes; `text` includes the quotes. */
export function unquoteCharacter(text: string): Literal<number> {
  const inner = text.slice(1, -1)
  if (inner.startsWith('\\')) {
    const escaped = readEscape(inner, 0, "'")
    if (escaped === undefined) return { message: INVALID }
    if (escaped.end === inner.length) return { value: escaped.code }
  } else {
    const [character, ...rest] = inner
    if (character === undefined) return { message: INVALID }
    if (rest.length === 0) return { value: character.codePointAt(0) ?? 0 }
  }
  return { message: `malformed character constant: ${text}` }
}

const NUMBERED_ESCAPE = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3}))/y

function readEscape(text: string, start: number, quote: '"' | "'"): Escaped | undefined {
  const letter = text.charAt(start + 1)
  const simple = SIMPLE_ESCAPES.get(letter)
  if (simple !== undefined) {
    const otherQuote = (letter === '"' || letter === "'") && letter !== quote
    return otherQuote ? undefined : { code: simple, end: start + 2, unit: 'rune' }
  }
  NUMBERED_ESCAPE.lastIndex = start
  const match = NUMBERED_ESCAPE.exec(text)
  if (match === null) return undefined
  const [whole, hexByte, short, long, octal] = match
  const code = octal === undefined ? parseInt(hexByte ?? short ?? long ?? '', 16) : parseInt(octal, 8)
  const unit = hexByte === undefined && octal === undefined ? 'rune' : 'byte'
  const surrogate = code >= 0xd800 && code < 0xe000
  if (unit === 'byte' ? code > 0xff : code > 0x10ffff || surrogate) return undefined
  return { code, end: start + whole.length, unit }
}

const INTEGER = /^([+-]?)(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)$/
const UINT64_MAX = 2n ** 64n - 1n

/** Value of a number: decimal, hexadecimal or, with a leading zero, octal integers, and decimal floats. All are floats in Jet. */
export function parseNumber(text: string): Literal<number> {
  const [, sign = '', digits = ''] = INTEGER.exec(text) ?? []
  if (digits !== '') {
    const octal = /^0[0-7]/.test(digits)
    const value = BigInt(octal ? `0o${digits.slice(1)}` : digits)
    const limit = sign === '-' ? 2n ** 63n : UINT64_MAX
    if (value > limit) return { message: `integer overflow: ${JSON.stringify(text)}` }
    return { value: sign === '-' ? -Number(value) : Number(value) }
  }
  const float = parseGoFloat(text)
  if (float === undefined) return { message: `illegal number syntax: ${JSON.stringify(text)}` }
  if (!/[.eE]/.test(text)) return { message: `integer overflow: ${JSON.stringify(text)}` }
  return { value: float }
}
