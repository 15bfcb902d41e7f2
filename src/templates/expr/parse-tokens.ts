import { build } from './build-node.ts'
import { accept, advance, type Cursor, failAt, unexpectedToken } from './cursor.ts'
import type { Token } from './lexer.ts'
import { binaryRule, isNegatable } from './operators.ts'
import type { ExprNode } from './syntax.ts'
import { isInt64 } from '../govalue/int64.ts'

type NumberLiteral =
  | { readonly kind: 'int'; readonly value: bigint }
  | { readonly kind: 'float'; readonly value: number }
  | { readonly kind: 'broken'; readonly message: string }

interface Base {
  readonly prefix: string
  readonly name: string
  readonly digits: RegExp
}

const BASES: readonly Base[] = [
  { prefix: '0x', name: 'hex', digits: /^0x[0-9a-f]+$/ },
  { prefix: '0b', name: 'binary', digits: /^0b[01]+$/ },
  { prefix: '0o', name: 'octal', digits: /^0o[0-7]+$/ },
]

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

/** Reads `1_000`, `0xFF`, `0b1`, `0o7`, `1.5`, `.5`, `1e3`. A leading 0 does not make a number octal. */
function parseNumberLiteral(spelling: string): NumberLiteral {
  const text = spelling.replaceAll('_', '').toLowerCase()
  const base = BASES.find(({ prefix }) => text.startsWith(prefix))
  if (base?.name !== 'hex' && /[.e]/.test(text)) return parseFloatLiteral(spelling.replaceAll('_', ''))
  const isValid = base === undefined ? /^[0-9]+$/.test(text) : base.digits.test(text)
  if (!isValid) return brokenLiteral(base?.name ?? 'integer', 'ParseInt', spelling, 'invalid syntax')
  const value = BigInt(base === undefined ? text.replace(/^0+(?=.)/, '') : text)
  if (!isInt64(value)) return brokenLiteral(base?.name ?? 'integer', 'ParseInt', spelling, 'value out of range')
  return { kind: 'int', value }
}

function parseFloatLiteral(text: string): NumberLiteral {
  if (!/^(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(text)) {
    return brokenLiteral('float', 'ParseFloat', text, 'invalid syntax')
  }
  const value = Number(text)
  return Number.isFinite(value)
    ? { kind: 'float', value }
    : brokenLiteral('float', 'ParseFloat', text, 'value out of range')
}

function brokenLiteral(name: string, parser: string, spelling: string, why: string): NumberLiteral {
  const parsed = JSON.stringify(spelling.replaceAll('_', ''))
  return { kind: 'broken', message: `invalid ${name} literal: strconv.${parser}: parsing ${parsed}: ${why}` }
}
