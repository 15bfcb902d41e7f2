import type { AccessStep, BinaryOperator, Expression, NumberLiteral } from './ast.ts'
import { parseNumber, unquoteCharacter, unquoteString, type Literal } from './literals.ts'
import { printExpression } from './print-expression.ts'
import type { TokenCursor } from './token-cursor.ts'
import type { Token, TokenKind } from './tokens.ts'

interface Operator {
  readonly operator: BinaryOperator
  readonly level: number
}

const OPERATORS: ReadonlyMap<TokenKind, Operator> = new Map<TokenKind, Operator>([
  ['or', { operator: '||', level: 0 }],
  ['and', { operator: '&&', level: 0 }],
  ['equals', { operator: '==', level: 1 }],
  ['notEquals', { operator: '!=', level: 1 }],
  ['less', { operator: '<', level: 2 }],
  ['lessEquals', { operator: '<=', level: 2 }],
  ['great', { operator: '>', level: 2 }],
  ['greatEquals', { operator: '>=', level: 2 }],
  ['add', { operator: '+', level: 3 }],
  ['minus', { operator: '-', level: 3 }],
  ['mul', { operator: '*', level: 4 }],
  ['div', { operator: '/', level: 4 }],
  ['mod', { operator: '%', level: 4 }],
])

const LOGICAL_LEVEL = 0
const COMPARISON_LEVEL = 1

/** Parses an expression; `context` names the surrounding construct in messages. */
export function parseExpression(cursor: TokenCursor, context: string): Expression {
  return cursor.nested(() => {
    const condition = parseBinary(cursor, context, LOGICAL_LEVEL)
    if (!cursor.accept('ternary')) return condition
    const yes = parseExpression(cursor, context)
    cursor.expect('colon', 'ternary expression', 'colon in ternary expression')
    const no = parseExpression(cursor, context)
    return cursor.node({ kind: 'ternary', offset: condition.offset, condition, yes, no })
  })
}

// Precedence climbing; all operators are left-associative. `and` and `or` share one level, as in Jet.
function parseBinary(cursor: TokenCursor, context: string, lowest: number): Expression {
  let left = parseUnary(cursor, context)
  for (;;) {
    const found = OPERATORS.get(cursor.peek().kind)
    if (found === undefined || found.level < lowest) return left
    cursor.next()
    const right = parseBinary(cursor, context, found.level + 1)
    left = cursor.node({ kind: 'binary', offset: left.offset, operator: found.operator, left, right })
  }
}

function parseUnary(cursor: TokenCursor, context: string): Expression {
  const { kind, offset } = cursor.peek()
  if (kind === 'not') {
    cursor.next()
    // `not a == b` negates the comparison.
    const operand = cursor.nested(() => parseBinary(cursor, context, COMPARISON_LEVEL))
    return cursor.node({ kind: 'not', offset, operand })
  }
  if (kind === 'minus' || kind === 'add') {
    cursor.next()
    const operand = parseOperand(cursor, 'additive expression')
    return cursor.node({ kind: 'sign', offset, sign: kind === 'minus' ? '-' : '+', operand })
  }
  return parseOperand(cursor, context)
}

// A term with its access steps. Steps after a parenthesised access continue it: `(a.b).c` is `a.b.c`.
function parseOperand(cursor: TokenCursor, context: string): Expression {
  const { offset } = cursor.peek()
  const term = cursor.at('field') ? parseDotForm(cursor) : parseTerm(cursor, context)
  const base = term.kind === 'access' ? term.base : term
  const inherited = term.kind === 'access' ? term.steps : []
  const steps: AccessStep[] = [...inherited]
  for (let step = parseStep(cursor, base, steps); step !== undefined; step = parseStep(cursor, base, steps)) {
    steps.push(step)
  }
  return steps.length === inherited.length ? term : cursor.node({ kind: 'access', offset, base, steps })
}

function parseDotForm(cursor: TokenCursor): Expression {
  const { offset } = cursor.peek()
  const base = cursor.node({ kind: 'context', offset })
  return cursor.node({ kind: 'access', offset, base, steps: [parseFields(cursor, 'strict')] })
}

function parseStep(cursor: TokenCursor, base: Expression, steps: readonly AccessStep[]): AccessStep | undefined {
  const token = cursor.peek()
  if (followsField(cursor)) {
    if (base.kind === 'bool' || base.kind === 'string' || base.kind === 'number' || base.kind === 'nil') {
      cursor.fail(`unexpected . after term ${JSON.stringify(printExpression(base))}`, token.offset)
    }
    return parseFields(cursor, 'lenient')
  }
  const last = steps.at(-1)?.kind ?? base.kind
  const takesBrackets = last !== 'slice' && (steps.length > 0 || last === 'identifier' || last === 'context')
  if (!takesBrackets) return undefined
  if (token.kind === 'leftBrackets') return parseBrackets(cursor, cursor.next())
  if (token.kind !== 'leftParen') return undefined
  cursor.next()
  const args = parseArguments(cursor)
  cursor.expect('rightParen', 'call expression', 'closing parenthesis')
  return cursor.node({ kind: 'call', offset: token.offset, args })
}

// `a .b` is two operands, so that a construct can take two expressions in a row.
function followsField(cursor: TokenCursor): boolean {
  const token = cursor.peek()
  return token.kind === 'field' && !token.spaceBefore
}

function parseFields(cursor: TokenCursor, form: 'strict' | 'lenient'): AccessStep {
  const { offset } = cursor.peek()
  const names: string[] = []
  do names.push(cursor.next().text.slice(1))
  while (followsField(cursor))
  return cursor.node({ kind: 'fields', offset, names, strict: form === 'strict' })
}

function parseBrackets(cursor: TokenCursor, opening: Token): AccessStep {
  const { offset } = opening
  const from = cursor.at('colon') ? undefined : parseExpression(cursor, 'index|slice expression')
  if (from !== undefined && !cursor.at('colon')) {
    cursor.expect('rightBrackets', 'index expression', 'closing bracket')
    return cursor.node({ kind: 'index', offset, index: from })
  }
  cursor.next()
  const to = cursor.at('rightBrackets') ? undefined : parseExpression(cursor, 'slice expression')
  cursor.expect('rightBrackets', 'index expression', 'closing bracket')
  return cursor.node({ kind: 'slice', offset, from, to })
}

/** Parses the arguments of a call up to its end; a comma may follow the last one before a parenthesis. */
export function parseArguments(cursor: TokenCursor): readonly Expression[] {
  const args: Expression[] = []
  while (!cursor.at('rightParen')) {
    const argument = parseExpression(cursor, 'call expression argument list')
    if (argument.kind === 'slot' && args.some(({ kind }) => kind === 'slot')) {
      cursor.fail("found two pipe slot markers ('_') for the same function call", argument.offset)
    }
    args.push(argument)
    if (!cursor.accept('comma')) break
  }
  return args
}

function parseTerm(cursor: TokenCursor, context: string): Expression {
  const token = cursor.peek()
  const { kind, offset, text } = token
  switch (kind) {
    case 'identifier':
      cursor.next()
      return cursor.node(text === '.' ? { kind: 'context', offset } : { kind: 'identifier', offset, name: text })
    case 'underscore':
      cursor.next()
      return cursor.node({ kind: 'slot', offset })
    case 'nil':
      cursor.next()
      return cursor.node({ kind: 'nil', offset })
    case 'bool':
      cursor.next()
      return cursor.node({ kind: 'bool', offset, value: text === 'true' })
    case 'number':
    case 'charConstant':
      return parseNumberTerm(cursor, cursor.next())
    case 'string':
    case 'rawString':
      cursor.next()
      return cursor.node({ kind: 'string', offset, text, value: literalValue(cursor, token, unquoteString(text)) })
    case 'leftParen':
      return parseParentheses(cursor)
    default:
      return cursor.unexpected(context, 'term')
  }
}

function parseNumberTerm(cursor: TokenCursor, token: Token): NumberLiteral {
  const { kind, offset, text } = token
  const literal = kind === 'charConstant' ? unquoteCharacter(text) : parseNumber(text)
  return cursor.node({ kind: 'number', offset, text, value: literalValue(cursor, token, literal) })
}

function parseParentheses(cursor: TokenCursor): Expression {
  cursor.next()
  const inner = parseExpression(cursor, 'parenthesized expression')
  cursor.expect('rightParen', 'parenthesized expression', 'closing parenthesis')
  return inner
}

/** Value of a literal token; a literal that Go rejects is a template error. */
export function literalValue<T>(cursor: TokenCursor, token: Token, literal: Literal<T>): T {
  return 'value' in literal ? literal.value : cursor.fail(literal.message, token.offset)
}
