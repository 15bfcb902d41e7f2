import { Budget } from '../govalue/budget.ts'
import { nextToken, type LexerState, type Token, type TokenKind } from './lexer.ts'
import { errorAt } from './position.ts'
import { excerpt, type TemplateError } from '../errors.ts'

/** Maximum nesting of expressions; protects the stack of parser, checker and evaluator. */
export const MAX_EXPRESSION_DEPTH = 500

/** Names that the parser needs to distinguish builtins from host functions. */
export interface ParserNames {
  /** Whether the name is a builtin, unless the host overrides it. */
  readonly isBuiltin: (name: string) => boolean
  /** Whether the host has a function or variable of the name. */
  readonly isOverridden: (name: string) => boolean
}

/** The parser's position in the token stream and its counters. */
export interface Cursor {
  readonly source: string
  readonly names: ParserNames
  readonly budget: Budget
  readonly lexer: LexerState
  current: Token
  /** Number of predicates around the position; `#` and `.x` are only allowed inside one. */
  predicates: number
  nesting: number
}

export function openCursor(source: string, names: ParserNames, budget: Budget): Cursor {
  budget.checkSource(source)
  const lexer = { source, offset: 0 }
  return { source, names, budget, lexer, current: nextToken(lexer), predicates: 0, nesting: 0 }
}

export function advance(cursor: Cursor): void {
  if (cursor.current.kind === 'EOF') throw failAt(cursor, 'unexpected end of expression')
  cursor.current = nextToken(cursor.lexer)
}

export function failAt(cursor: Cursor, message: string, token: Token = cursor.current): TemplateError {
  return errorAt(message, cursor.source, token.offset)
}

/** Go's `%v` of a token: `Operator("+")`, `EOF`. */
export function describeToken(token: Token): string {
  return token.text === '' ? token.kind : `${token.kind}(${JSON.stringify(excerpt(token.text))})`
}

export function unexpectedToken(cursor: Cursor): TemplateError {
  return failAt(cursor, `unexpected token ${describeToken(cursor.current)}`)
}

/** Whether the current token is this operator or bracket. */
export function isAt(cursor: Cursor, kind: TokenKind, text: string): boolean {
  return cursor.current.kind === kind && cursor.current.text === text
}

/** Consumes the current token if it has the kind and text. */
export function accept(cursor: Cursor, kind: TokenKind, text: string): boolean {
  if (!isAt(cursor, kind, text)) return false
  advance(cursor)
  return true
}

/** Consumes and returns a required token. */
export function expect(cursor: Cursor, kind: TokenKind, text?: string): Token {
  const token = cursor.current
  if (token.kind !== kind || (text !== undefined && token.text !== text)) throw unexpectedToken(cursor)
  advance(cursor)
  return token
}

/** Runs a part of the parser one nesting level deeper. */
export function parseNested<T>(cursor: Cursor, parse: (cursor: Cursor) => T): T {
  cursor.nesting += 1
  if (cursor.nesting > MAX_EXPRESSION_DEPTH) throw failAt(cursor, 'expression is nested too deeply')
  const result = parse(cursor)
  cursor.nesting -= 1
  return result
}
