import { Budget } from '../govalue/budget.ts'
import { nextToken, type LexerState, type Token, type TokenKind } from './lexer.ts'
import { errorAt } from './position.ts'
import { excerpt, type TemplateError } from '../errors.ts'

/** How deep expressions may nest, so that neither parser, checks nor evaluation can exhaust the stack. */
export const MAX_EXPRESSION_DEPTH = 500

/** Names the parser must know to tell builtins from host functions. */
export interface ParserNames {
  /** The name calls a builtin unless the host overrides it. */
  readonly isBuiltin: (name: string) => boolean
  /** The host has a function or variable of that name. */
  readonly isOverridden: (name: string) => boolean
}

/** The parser's position in the token stream and its counters. */
export interface Cursor {
  readonly source: string
  readonly names: ParserNames
  readonly budget: Budget
  readonly lexer: LexerState
  current: Token
  /** Depth of predicates around the position; `#` and `.x` are only allowed inside one. */
  predicates: number
  nesting: number
}

/** Starts reading a source. */
export function openCursor(source: string, names: ParserNames, budget: Budget): Cursor {
  budget.checkSource(source)
  const lexer = { source, offset: 0 }
  return { source, names, budget, lexer, current: nextToken(lexer), predicates: 0, nesting: 0 }
}

/** Moves to the next token. */
export function advance(cursor: Cursor): void {
  if (cursor.current.kind === 'EOF') throw failAt(cursor, 'unexpected end of expression')
  cursor.current = nextToken(cursor.lexer)
}

/** The error of the current token. */
export function failAt(cursor: Cursor, message: string, token: Token = cursor.current): TemplateError {
  return errorAt(message, cursor.source, token.offset)
}

/** Go's `%v` of a token: `Operator("+")`, `EOF`. */
export function describeToken(token: Token): string {
  return token.text === '' ? token.kind : `${token.kind}(${JSON.stringify(excerpt(token.text))})`
}

/** The usual syntax error. */
export function unexpected(cursor: Cursor): TemplateError {
  return failAt(cursor, `unexpected token ${describeToken(cursor.current)}`)
}

/** Says whether the current token is this operator or bracket. */
export function at(cursor: Cursor, kind: TokenKind, text: string): boolean {
  return cursor.current.kind === kind && cursor.current.text === text
}

/** Moves on if the current token is of the kind (and has the text). */
export function accept(cursor: Cursor, kind: TokenKind, text: string): boolean {
  if (!at(cursor, kind, text)) return false
  advance(cursor)
  return true
}

/** Moves over a token that must be there and gives it. */
export function expect(cursor: Cursor, kind: TokenKind, text?: string): Token {
  const token = cursor.current
  if (token.kind !== kind || (text !== undefined && token.text !== text)) throw unexpected(cursor)
  advance(cursor)
  return token
}

/** Runs a part of the parser one nesting level deeper. */
export function deeper<T>(cursor: Cursor, parse: (cursor: Cursor) => T): T {
  cursor.nesting += 1
  if (cursor.nesting > MAX_EXPRESSION_DEPTH) throw failAt(cursor, 'expression is nested too deeply')
  const result = parse(cursor)
  cursor.nesting -= 1
  return result
}
