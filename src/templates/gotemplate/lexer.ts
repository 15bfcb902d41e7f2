import { lexNumber, lexQuoted, lexWord } from './lex-term.ts'
import { isSpaceUnit, startsWithTrimMarker, type Lexer } from './lexer-state.ts'
import { describeRune } from './runes.ts'
import type { Token, TokenKind } from './token.ts'

/** The strings that open and close an action; an empty one means the default. */
export interface Delimiters {
  readonly left: string
  readonly right: string
}

/** `{{` and `}}`. */
const DEFAULT_DELIMITERS: Delimiters = { left: '{{', right: '}}' }

export interface LexerOptions {
  readonly delimiters?: Delimiters | undefined
  /** Names of functions that hide the keywords `break` and `continue`. */
  readonly isFunction?: ((name: string) => boolean) | undefined
}

const COMMENT_OPEN = '/*'
const COMMENT_CLOSE = '*/'

/**
 * Splits a template into tokens like Go's text/template, including comments. Never throws: the list ends with an `error` or an
 * `endOfFile` token.
 */
export function lexGoTemplate(source: string, options: LexerOptions = {}): Token[] {
  const lexer: Lexer = {
    source,
    left: options.delimiters?.left || DEFAULT_DELIMITERS.left,
    right: options.delimiters?.right || DEFAULT_DELIMITERS.right,
    isFunction: options.isFunction ?? (() => false),
    position: 0,
    start: 0,
    parentheses: 0,
    tokens: [],
    stopped: false,
  }
  while (!lexer.stopped) lexTextAndAction(lexer)
  return lexer.tokens
}

function emit(lexer: Lexer, kind: TokenKind, end: number): void {
  lexer.tokens.push({ kind, value: lexer.source.slice(lexer.start, end), offset: lexer.start })
  lexer.position = end
  lexer.start = end
}

function fail(lexer: Lexer, message: string): void {
  lexer.tokens.push({ kind: 'error', value: message, offset: lexer.start })
  lexer.stopped = true
}

function skipTo(lexer: Lexer, position: number): void {
  lexer.position = position
  lexer.start = position
}

function lexTextAndAction(lexer: Lexer): void {
  const { source, left } = lexer
  const at = source.indexOf(left, lexer.position)
  if (at < 0) {
    if (lexer.position < source.length) emit(lexer, 'text', source.length)
    lexer.tokens.push({ kind: 'endOfFile', value: '', offset: source.length })
    lexer.stopped = true
    return
  }
  if (at > lexer.position) {
    const end = hasLeftTrim(source, at + left.length) ? trimEnd(source, lexer.start, at) : at
    if (end > lexer.start) emit(lexer, 'text', end)
    skipTo(lexer, at)
  }
  lexLeftDelimiter(lexer)
}

function hasLeftTrim(source: string, at: number): boolean {
  return source[at] === '-' && isSpaceUnit(source.charCodeAt(at + 1))
}

function trimEnd(source: string, start: number, end: number): number {
  let trimmed = end
  while (trimmed > start && isSpaceUnit(source.charCodeAt(trimmed - 1))) trimmed -= 1
  return trimmed
}

function trimStart(source: string, start: number): number {
  let trimmed = start
  while (isSpaceUnit(source.charCodeAt(trimmed))) trimmed += 1
  return trimmed
}

function lexLeftDelimiter(lexer: Lexer): void {
  const afterDelimiter = lexer.position + lexer.left.length
  const inside = hasLeftTrim(lexer.source, afterDelimiter) ? afterDelimiter + 2 : afterDelimiter
  if (lexer.source.startsWith(COMMENT_OPEN, inside)) {
    skipTo(lexer, inside)
    lexComment(lexer)
    return
  }
  emit(lexer, 'leftDelimiter', afterDelimiter)
  skipTo(lexer, inside)
  lexer.parentheses = 0
  let inAction = true
  while (inAction && !lexer.stopped) inAction = lexInsideAction(lexer)
}

function lexComment(lexer: Lexer): void {
  const { source, right } = lexer
  const close = source.indexOf(COMMENT_CLOSE, lexer.position + COMMENT_OPEN.length)
  if (close < 0) {
    fail(lexer, 'unclosed comment')
    return
  }
  const end = close + COMMENT_CLOSE.length
  const trims = startsWithTrimMarker(lexer, end)
  if (!trims && !source.startsWith(right, end)) {
    fail(lexer, 'comment ends before closing delimiter')
    return
  }
  emit(lexer, 'comment', end)
  const afterDelimiter = end + (trims ? 2 : 0) + right.length
  skipTo(lexer, trims ? trimStart(source, afterDelimiter) : afterDelimiter)
}

/** Scans one token of an action; false when the action ended. */
function lexInsideAction(lexer: Lexer): boolean {
  const { source, position } = lexer
  const trims = startsWithTrimMarker(lexer, position)
  if (trims || source.startsWith(lexer.right, position)) {
    if (lexer.parentheses === 0) return lexRightDelimiter(lexer, trims)
    fail(lexer, 'unclosed left paren')
    return false
  }
  if (position >= source.length) {
    fail(lexer, 'unclosed action')
    return false
  }
  if (isSpaceUnit(source.charCodeAt(position))) lexSpace(lexer)
  else lexTerm(lexer)
  return true
}

function lexRightDelimiter(lexer: Lexer, trims: boolean): false {
  if (trims) skipTo(lexer, lexer.position + 2)
  emit(lexer, 'rightDelimiter', lexer.position + lexer.right.length)
  if (trims) skipTo(lexer, trimStart(lexer.source, lexer.position))
  return false
}

function lexSpace(lexer: Lexer): void {
  const end = trimStart(lexer.source, lexer.position)
  // The last space may belong to a trim marker; a space alone does (that case was handled before).
  emit(lexer, 'space', startsWithTrimMarker(lexer, end - 1) ? end - 1 : end)
}

const PUNCTUATION: ReadonlyMap<string, TokenKind> = new Map<string, TokenKind>([
  ['=', 'assign'],
  ['|', 'pipe'],
])

function lexTerm(lexer: Lexer): void {
  const { source, position } = lexer
  const first = source.charAt(position)
  const punctuation = PUNCTUATION.get(first)
  if (punctuation !== undefined) {
    emit(lexer, punctuation, position + 1)
    return
  }
  switch (first) {
    case ':':
      if (source[position + 1] === '=') emit(lexer, 'declare', position + 2)
      else fail(lexer, 'expected :=')
      return
    case '(':
      lexer.parentheses += 1
      emit(lexer, 'leftParenthesis', position + 1)
      return
    case ')':
      lexer.parentheses -= 1
      emit(lexer, 'rightParenthesis', position + 1)
      if (lexer.parentheses < 0) fail(lexer, `unexpected right paren ${describeRune(')')}`)
      return
    case '"':
    case "'":
    case '`':
      finish(lexer, lexQuoted(lexer, first))
      return
    default:
      lexOther(lexer, first)
  }
}

function finish(lexer: Lexer, result: { kind: TokenKind; end: number } | string): void {
  if (typeof result === 'string') fail(lexer, result)
  else emit(lexer, result.kind, result.end)
}

function lexOther(lexer: Lexer, first: string): void {
  const second = lexer.source.charCodeAt(lexer.position + 1)
  const startsNumber = first === '.' && second >= 48 && second <= 57
  if (startsNumber || first === '+' || first === '-' || (first >= '0' && first <= '9')) {
    finish(lexer, lexNumber(lexer))
    return
  }
  const word = lexWord(lexer)
  if (word !== undefined) {
    finish(lexer, word)
    return
  }
  if (first >= ' ' && first <= '~') {
    emit(lexer, 'character', lexer.position + 1)
    return
  }
  const rune = String.fromCodePoint(lexer.source.codePointAt(lexer.position) ?? 0)
  fail(lexer, `unrecognized character in action: ${describeRune(rune)}`)
}
