import { unescapeBytes, unescapeString } from './escapes.ts'
import { errorAt } from './position.ts'

/** Kinds of tokens, with expr-lang's names, which appear in messages. */
export type TokenKind = 'Identifier' | 'Number' | 'String' | 'Bytes' | 'Operator' | 'Bracket' | 'EOF'

/** `text` is the operator, name, number spelling or the text of a string; `bytes` only for `Bytes`. */
export interface Token {
  readonly kind: TokenKind
  readonly text: string
  readonly bytes?: Uint8Array
  /** UTF-16 index of its first character; for `EOF` of the last character of the source. */
  readonly offset: number
}

export interface LexerState {
  readonly source: string
  offset: number
}

/** Word operators. They are still allowed as names after a `.`. */
const WORD_OPERATORS: ReadonlySet<string> = new Set([
  'not',
  'in',
  'or',
  'and',
  'matches',
  'contains',
  'startsWith',
  'endsWith',
  'let',
  'if',
  'else',
])

const WORD = /[\p{L}\p{Nd}_$]+/uy
const WORD_CHARACTER = /[\p{L}\p{Nd}_$]/uy
const NUMBER_START = /\.?[0-9]/y
// The order matters: a prefix decides the allowed digits, also after the point and in the exponent.
const NUMBERS: readonly RegExp[] = [
  /0[xX][0-9a-fA-F_]*(?:\.(?!\.)[0-9a-fA-F_]*)?/y,
  /0[oO][0-7_]*(?:\.(?!\.)[0-7_]*)?(?:[eE][+-]?[0-7_]*)?/y,
  /0[bB][01_]*(?:\.(?!\.)[01_]*)?(?:[eE][+-]?[01_]*)?/y,
  /[0-9_]*(?:\.(?!\.)[0-9_]*)?(?:[eE][+-]?[0-9_]*)?/y,
]
const BLANK = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/uy
const OPERATOR = /\?\.|\?\?|\?|\|\|?|::?|\.\.?|##?|[&!=*<>][&=*]?|[%+\-^;,/]/y
const BRACKETS = '()[]{}'

function match(state: LexerState, pattern: RegExp): string | undefined {
  const { source, offset } = state
  pattern.lastIndex = offset
  // All patterns are sticky, and `test` allocates no match array.
  return pattern.test(source) ? source.slice(offset, pattern.lastIndex) : undefined
}

const SPACE = 0x20
const SLASH = 0x2f
const FIRST_NON_ASCII = 0x80

function skipBlank(state: LexerState): void {
  if (state.source.charCodeAt(state.offset) === SPACE) state.offset += 1
  const code = state.source.charCodeAt(state.offset)
  // Most tokens are preceded by at most one space, and the pattern is expensive.
  if (code > SPACE && code < FIRST_NON_ASCII && code !== SLASH) return
  state.offset += match(state, BLANK)?.length ?? 0
  if (state.source.startsWith('/*', state.offset)) {
    throw errorAt('unclosed comment', state.source, state.source.length)
  }
}

/** Reads the next token; `EOF` repeats at the end. Throws a `TemplateError` for invalid tokens. */
export function nextToken(state: LexerState): Token {
  skipBlank(state)
  const { source, offset } = state
  const first = source[offset]
  if (first === undefined) return { kind: 'EOF', text: '', offset: Math.max(0, source.length - 1) }
  if (first === '"' || first === "'") return readString(state, offset)
  if (first === '`') return readRawString(state)
  if ((first === 'b' || first === 'B') && /["']/.test(source[offset + 1] ?? '')) return readBytes(state)
  if (BRACKETS.includes(first)) return emit(state, 'Bracket', first)
  // `#1` is a pointer named 1, not a number.
  if (source[offset - 1] !== '#' && match(state, NUMBER_START) !== undefined) return readNumber(state)
  const word = match(state, WORD)
  if (word !== undefined) return emit(state, WORD_OPERATORS.has(word) ? 'Operator' : 'Identifier', word)
  const operator = match(state, OPERATOR)
  if (operator !== undefined) return emit(state, 'Operator', operator)
  throw unrecognized(state)
}

function emit(state: LexerState, kind: TokenKind, text: string): Token {
  const token: Token = { kind, text, offset: state.offset }
  state.offset += text.length
  return token
}

function unrecognized(state: LexerState): Error {
  const point = state.source.codePointAt(state.offset) ?? 0
  const hex = point.toString(16).toUpperCase().padStart(4, '0')
  const text = String.fromCodePoint(point)
  const shown = /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(text) ? ` '${text}'` : ''
  return errorAt(`unrecognized character: U+${hex}${shown}`, state.source, state.offset)
}

function readNumber(state: LexerState): Token {
  const pattern = NUMBERS.find((candidate) => match(state, candidate)) ?? WORD
  const spelling = match(state, pattern) ?? ''
  const end = state.offset + spelling.length
  const next = match({ source: state.source, offset: end }, WORD_CHARACTER)
  if (next !== undefined) {
    throw errorAt(`bad number syntax: ${JSON.stringify(spelling + next)}`, state.source, end)
  }
  return emit(state, 'Number', spelling)
}

function readRawString(state: LexerState): Token {
  const { source, offset } = state
  const found = match(state, /`((?:[^`]|``)*)`(?!`)/y)
  if (found === undefined) throw errorAt('literal not terminated', source, source.length)
  state.offset += found.length
  return { kind: 'String', text: found.slice(1, -1).replaceAll('``', '`'), offset }
}

function readString(state: LexerState, offset: number): Token {
  const body = readQuoted(state, offset)
  const text = unescapeString(body)
  if (text === undefined) throw errorAt('unable to unescape string', state.source, state.offset - 1)
  return { kind: 'String', text, offset }
}

function readBytes(state: LexerState): Token {
  const { offset } = state
  const body = readQuoted(state, offset + 1)
  const bytes = unescapeBytes(body)
  if (bytes === undefined) throw errorAt('unable to unescape string', state.source, state.offset - 1)
  return { kind: 'Bytes', text: body, bytes, offset }
}

/** Reads a literal with its quote at `start`, returns the text between the quotes and moves past it. */
function readQuoted(state: LexerState, start: number): string {
  const { source } = state
  const quote = source[start]
  let offset = start + 1
  while (source[offset] !== quote) {
    const character = source[offset]
    if (character === undefined || character === '\n') throw errorAt('literal not terminated', source, offset)
    offset = character === '\\' ? skipEscape(source, offset + 1, quote) : offset + 1
  }
  state.offset = offset + 1
  return source.slice(start + 1, offset)
}

const ESCAPE_DIGITS: ReadonlyMap<string, RegExp> = new Map([
  ['x', /[0-9a-fA-F]{0,2}/y],
  ['u', /[0-9a-fA-F]{0,4}/y],
  ['U', /[0-9a-fA-F]{0,8}/y],
])
const DIGIT_COUNT: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
])

/** `offset` is after the backslash; returns the offset after the escape. */
function skipEscape(source: string, offset: number, quote: string | undefined): number {
  const letter = source[offset] ?? ''
  if (letter !== '' && ('abfnrtv\\'.includes(letter) || letter === quote)) return offset + 1
  if (/[0-7]/.test(letter)) return requireDigits(source, offset, /[0-7]{0,3}/y, 3)
  const braced = /u\{[0-9a-fA-F]{1,6}\}/y
  braced.lastIndex = offset
  const found = braced.exec(source)?.[0]
  if (found !== undefined) return offset + found.length
  const digits = ESCAPE_DIGITS.get(letter)
  if (digits === undefined) throw errorAt('invalid char escape', source, offset)
  return requireDigits(source, offset + 1, digits, DIGIT_COUNT.get(letter) ?? 0)
}

function requireDigits(source: string, offset: number, pattern: RegExp, count: number): number {
  pattern.lastIndex = offset
  const found = pattern.exec(source)?.[0].length ?? 0
  if (found < count) throw errorAt('invalid char escape', source, offset + found)
  return offset + count
}
