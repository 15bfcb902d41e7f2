import { build } from './build-node.ts'
import { accept, advance, failAt, unexpectedToken, type Cursor } from './cursor.ts'
import type { Token } from './lexer.ts'
import { parseNumberLiteral } from './literals.ts'
import { binaryRule, isNegatable } from './operators.ts'
import type { ExprNode } from './syntax.ts'

/** Binary operator, optionally after `not`. */
export interface OperatorToken {
  readonly token: Token
  readonly negated: boolean
}

/** Consumes the operator at the cursor if it binds strongly enough; otherwise the cursor does not move. */
export function operatorToken(cursor: Cursor, precedence: number): OperatorToken | undefined {
  const token = cursor.current
  if (token.kind !== 'Operator') return undefined
  if (token.text === 'not') return negatedOperator(cursor, token, precedence)
  const rule = binaryRule(token.text)
  if (rule === undefined || rule.precedence < precedence) return undefined
  advance(cursor)
  return { token, negated: false }
}

function negatedOperator(cursor: Cursor, not: Token, precedence: number): OperatorToken | undefined {
  const { offset } = cursor.lexer
  advance(cursor)
  const token = cursor.current
  if (!isNegatable(token.text)) throw unexpectedToken(cursor)
  if ((binaryRule(token.text)?.precedence ?? -1) >= precedence) {
    advance(cursor)
    return { token, negated: true }
  }
  cursor.lexer.offset = offset
  cursor.current = not
  return undefined
}

/** `#`, `#index`, or the `#` implied by a leading `.` (the cursor stays at the `.`). */
export function parsePointer(cursor: Cursor, token: Token): ExprNode {
  let name = ''
  if (accept(cursor, 'Operator', '#') && cursor.current.kind === 'Identifier') {
    name = cursor.current.text
    advance(cursor)
  }
  return build(cursor, { kind: 'pointer', offset: token.offset, name }, [])
}

/** Value of a number token; the cursor is after it. */
export function parseNumber(cursor: Cursor, token: Token): ExprNode {
  const literal = parseNumberLiteral(token.text)
  if (literal.kind === 'broken') throw failAt(cursor, literal.message)
  return build(cursor, { offset: token.offset, ...literal }, [])
}
