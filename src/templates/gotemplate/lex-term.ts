import { isSpaceUnit, type Lexer } from './lexer-state.ts'
import { quoteGoString } from './go-quote.ts'
import { describeRune } from './runes.ts'
import { KEYWORDS, type TokenKind } from './token.ts'

/** The kind and end of a token, or the message of an error. */
export type LexResult = { readonly kind: TokenKind; readonly end: number } | string

// Number syntax of text/template's lexer; the parser validates the number.
const NUMBER =
  /[+-]?(?:0[xX][0-9a-fA-F_]*(?:\.[0-9a-fA-F_]*)?(?:[pP][+-]?[0-9_]*)?|0[oO][0-7_]*(?:\.[0-7_]*)?|0[bB][01_]*(?:\.[01_]*)?|[0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9_]*)?)i?/y

function isAsciiWordUnit(unit: number): boolean {
  return (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || (unit >= 48 && unit <= 57) || unit === 95
}

/** The rune at the position, or an empty text at the end. */
function runeAt(source: string, position: number): string {
  const rune = source.codePointAt(position)
  return rune === undefined ? '' : String.fromCodePoint(rune)
}

function wordEnd(source: string, start: number): number {
  let end = start
  for (;;) {
    const unit = source.charCodeAt(end)
    if (isAsciiWordUnit(unit)) {
      end += 1
    } else {
      if (!(unit >= 128)) return end
      const rune = runeAt(source, end)
      if (!/^[\p{L}\p{Nd}]$/u.test(rune)) return end
      end += rune.length
    }
  }
}

// A name must be followed by a space, the end, one of these, or the right delimiter.
const TERMINATORS = '.,|:)('

function isTerminated(lexer: Lexer, end: number): boolean {
  const { source } = lexer
  if (end >= source.length || isSpaceUnit(source.charCodeAt(end))) return true
  return TERMINATORS.includes(source.charAt(end)) || source.startsWith(lexer.right, end)
}

/** Scans a name, a `.field`, a `$variable` or a dot; undefined if none starts here. */
export function lexWord(lexer: Lexer): LexResult | undefined {
  const { source, position } = lexer
  const first = source.charAt(position)
  const marked = first === '.' || first === '$'
  const end = wordEnd(source, marked ? position + 1 : position)
  if (!marked && end === position) return undefined
  if (marked && end === position + 1 && isTerminated(lexer, end)) {
    return { kind: first === '.' ? 'dot' : 'variable', end }
  }
  if (!isTerminated(lexer, end)) return `bad character ${describeRune(runeAt(source, end))}`
  if (marked) return { kind: first === '.' ? 'field' : 'variable', end }
  return { kind: wordKind(lexer, source.slice(position, end)), end }
}

function wordKind(lexer: Lexer, word: string): TokenKind {
  const keyword = KEYWORDS.get(word)
  if (keyword !== undefined) {
    const hidden = (keyword === 'break' || keyword === 'continue') && lexer.isFunction(word)
    return hidden ? 'identifier' : keyword
  }
  return word === 'true' || word === 'false' ? 'boolean' : 'identifier'
}

function scanNumber(source: string, position: number): { end: number; valid: boolean } {
  NUMBER.lastIndex = position
  const end = position + (NUMBER.exec(source)?.[0].length ?? 0)
  const next = runeAt(source, end)
  if (next !== '' && wordEnd(source, end) > end) return { end: end + next.length, valid: false }
  return { end, valid: true }
}

/** Scans a number; `1+2i` is one token. */
export function lexNumber(lexer: Lexer): LexResult {
  const { source, position } = lexer
  const bad = (end: number): string => `bad number syntax: ${quoteGoString(source.slice(position, end))}`
  const first = scanNumber(source, position)
  if (!first.valid) return bad(first.end)
  const sign = source[first.end]
  if (sign !== '+' && sign !== '-') return { kind: 'number', end: first.end }
  const second = scanNumber(source, first.end)
  if (!second.valid || source[second.end - 1] !== 'i') return bad(second.end)
  return { kind: 'complex', end: second.end }
}

const QUOTED: Readonly<Record<'"' | "'" | '`', { kind: TokenKind; what: string }>> = {
  '"': { kind: 'string', what: 'quoted string' },
  "'": { kind: 'characterConstant', what: 'character constant' },
  '`': { kind: 'rawString', what: 'raw quoted string' },
}

/** Scans a string or character constant that opens with `quote`; the parser checks escapes. */
export function lexQuoted(lexer: Lexer, quote: '"' | "'" | '`'): LexResult {
  const { source } = lexer
  const { kind, what } = QUOTED[quote]
  const raw = quote === '`'
  for (let at = lexer.position + 1; at < source.length; at += 1) {
    const character = source[at]
    if (character === quote) return { kind, end: at + 1 }
    if (!raw && character === '\\') at += 1
    if (!raw && source[at] === '\n') break
  }
  return `unterminated ${what}`
}
