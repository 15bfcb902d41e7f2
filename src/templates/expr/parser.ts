import { Budget } from '../govalue/budget.ts'
import { build, joinChain } from './build-node.ts'
import {
  accept,
  advance,
  isAt,
  parseNested,
  expect,
  failAt,
  openCursor,
  unexpectedToken,
  type Cursor,
  type ParserNames,
} from './cursor.ts'
import type { Token } from './lexer.ts'
import { binaryRule, isBinaryOperator, isChainedComparison, isUnaryOperator, unaryPrecedence } from './operators.ts'
import { parseArguments, parseList, parseMap } from './parse-collections.ts'
import { operatorToken, parseNumber, parsePointer, type OperatorToken } from './parse-tokens.ts'
import { predicateShape } from './predicate-shapes.ts'
import type { ExprNode } from './syntax.ts'

/** Parses a whole expression. Throws a `TemplateError` at the first syntax error. */
export function parseExpression(source: string, names: ParserNames, budget: Budget = new Budget()): ExprNode {
  const cursor = openCursor(source, names, budget)
  const node = parseSequence(cursor)
  if (cursor.current.kind !== 'EOF') throw unexpectedToken(cursor)
  return node
}

function parseWhole(cursor: Cursor): ExprNode {
  return parseBinary(cursor, 0)
}

function parseSequence(cursor: Cursor): ExprNode {
  const first = parseBinary(cursor, 0)
  if (!isAt(cursor, 'Operator', ';')) return first
  const items = [first]
  while (accept(cursor, 'Operator', ';') && cursor.current.kind !== 'EOF') items.push(parseBinary(cursor, 0))
  if (items.length === 1) return first
  return build(cursor, { kind: 'sequence', offset: first.offset, items }, items)
}

function parseLet(cursor: Cursor): ExprNode {
  advance(cursor)
  const name = expect(cursor, 'Identifier')
  expect(cursor, 'Operator', '=')
  const value = parseBinary(cursor, 0)
  expect(cursor, 'Operator', ';')
  const body = parseSequence(cursor)
  return build(cursor, { kind: 'let', offset: name.offset, name: name.text, value, body }, [value, body])
}

function parseIf(cursor: Cursor): ExprNode {
  return parseNested(cursor, () => {
    const { offset } = cursor.current
    advance(cursor)
    const condition = parseBinary(cursor, 0)
    const then = parseBlock(cursor)
    expect(cursor, 'Operator', 'else')
    const otherwise = isAt(cursor, 'Operator', 'if') ? parseIf(cursor) : parseBlock(cursor)
    return build(cursor, { kind: 'conditional', offset, condition, then, otherwise }, [condition, then, otherwise])
  })
}

function parseBlock(cursor: Cursor): ExprNode {
  expect(cursor, 'Bracket', '{')
  const body = parseSequence(cursor)
  expect(cursor, 'Bracket', '}')
  return body
}

/** Parses operators that bind at least as strongly as `precedence`; 0 is a whole expression. */
function parseBinary(cursor: Cursor, precedence: number): ExprNode {
  return parseNested(cursor, () => {
    if (precedence === 0 && isAt(cursor, 'Operator', 'let')) return parseLet(cursor)
    if (precedence === 0 && isAt(cursor, 'Operator', 'if')) return parseIf(cursor)
    let left = parseOperand(cursor)
    let previous = ''
    for (;;) {
      const operator = operatorToken(cursor, precedence)
      if (operator === undefined) break
      left = parseOperation(cursor, left, operator, previous)
      previous = operator.token.text
    }
    return precedence === 0 ? parseTernary(cursor, left) : left
  })
}

function parseOperation(cursor: Cursor, left: ExprNode, operator: OperatorToken, previous: string): ExprNode {
  const { token, negated } = operator
  if (token.text === '|') return parseCall(cursor, expect(cursor, 'Identifier'), [left])
  if (previous === '??' && token.text !== '??') {
    const advice = 'Wrap either by parentheses.'
    throw failAt(cursor, `Operator (${token.text}) and coalesce expressions (??) cannot be mixed. ${advice}`, token)
  }
  if (isChainedComparison(token.text)) return parseComparison(cursor, left, token)
  const rule = binaryRule(token.text)
  if (rule === undefined || !isBinaryOperator(token.text)) throw unexpectedToken(cursor)
  const right = parseBinary(cursor, rule.associativity === 'left' ? rule.precedence + 1 : rule.precedence)
  const { offset, text } = token
  const node = build(cursor, { kind: 'binary', offset, operator: text, left, right }, [left, right])
  return negated ? build(cursor, { kind: 'unary', offset, operator: 'not', operand: node }, [node]) : node
}

/** `a < b < c` becomes `a < b && b < c`. The cursor is after the first operator. */
function parseComparison(cursor: Cursor, first: ExprNode, firstToken: Token): ExprNode {
  let whole: ExprNode | undefined
  let left = first
  let token = firstToken
  while (isChainedComparison(token.text)) {
    const right = parseBinary(cursor, 21)
    const { offset, text } = token
    const part = build(cursor, { kind: 'binary', offset, operator: text, left, right }, [left, right])
    whole =
      whole === undefined
        ? part
        : build(cursor, { kind: 'binary', offset, operator: '&&', left: whole, right: part }, [whole, part])
    left = right
    token = cursor.current
    if (token.kind !== 'Operator' || !isChainedComparison(token.text)) break
    advance(cursor)
  }
  return whole ?? first
}

function parseTernary(cursor: Cursor, condition: ExprNode): ExprNode {
  let node = condition
  while (isAt(cursor, 'Operator', '?')) {
    const { offset } = cursor.current
    advance(cursor)
    const then = accept(cursor, 'Operator', ':') ? undefined : parseBinary(cursor, 0)
    if (then !== undefined) expect(cursor, 'Operator', ':')
    const otherwise = parseBinary(cursor, 0)
    const parts = { condition: node, then: then ?? node, otherwise }
    node = build(cursor, { kind: 'conditional', offset, ...parts }, [node, then, otherwise])
  }
  return node
}

function parseOperand(cursor: Cursor): ExprNode {
  const token = cursor.current
  if (token.kind === 'Operator' && isUnaryOperator(token.text)) {
    advance(cursor)
    const operand = parseBinary(cursor, unaryPrecedence(token.text) ?? 0)
    const { offset, text } = token
    return parsePostfix(cursor, build(cursor, { kind: 'unary', offset, operator: text, operand }, [operand]))
  }
  if (accept(cursor, 'Bracket', '(')) {
    const inner = parseSequence(cursor)
    expect(cursor, 'Bracket', ')')
    return parsePostfix(cursor, inner)
  }
  if (cursor.predicates > 0 && token.kind === 'Operator' && (token.text === '#' || token.text === '.')) {
    return parsePostfix(cursor, parsePointer(cursor, token))
  }
  if (accept(cursor, 'Operator', '::')) {
    return parsePostfix(cursor, parseBuiltinCall(cursor, expect(cursor, 'Identifier'), []))
  }
  return parsePostfix(cursor, parsePrimary(cursor))
}

function parsePrimary(cursor: Cursor): ExprNode {
  const token = cursor.current
  const { offset, text, kind } = token
  switch (kind) {
    case 'Identifier':
      advance(cursor)
      return parseIdentifier(cursor, token)
    case 'Number':
      advance(cursor)
      return parseNumber(cursor, token)
    case 'String':
      advance(cursor)
      return build(cursor, { kind: 'string', offset, value: text }, [])
    case 'Bytes':
      advance(cursor)
      return build(cursor, { kind: 'bytes', offset, value: token.bytes ?? new Uint8Array() }, [])
    case 'Bracket':
      if (text === '[') return parseList(cursor, parseWhole)
      if (text === '{') return parseMap(cursor, parseWhole)
      throw unexpectedToken(cursor)
    default:
      throw unexpectedToken(cursor)
  }
}

function parseIdentifier(cursor: Cursor, token: Token): ExprNode {
  const { offset, text } = token
  if (text === 'true' || text === 'false') return build(cursor, { kind: 'bool', offset, value: text === 'true' }, [])
  if (text === 'nil') return build(cursor, { kind: 'nil', offset }, [])
  if (isAt(cursor, 'Bracket', '(')) return parseCall(cursor, token, [])
  return build(cursor, { kind: 'identifier', offset, name: text }, [])
}

/** Parses a call by name; `given` is the piped value before the arguments. */
function parseCall(cursor: Cursor, name: Token, given: readonly ExprNode[]): ExprNode {
  if (cursor.names.isBuiltin(name.text) && !cursor.names.isOverridden(name.text)) {
    return parseBuiltinCall(cursor, name, given)
  }
  const callee = build(cursor, { kind: 'identifier', offset: name.offset, name: name.text }, [])
  const args = parseArguments(cursor, given, parseWhole)
  return build(cursor, { kind: 'call', offset: name.offset, callee, args }, [callee, ...args])
}

function parseBuiltinCall(cursor: Cursor, name: Token, given: readonly ExprNode[]): ExprNode {
  const { offset, text } = name
  if (!cursor.names.isBuiltin(text)) throw failAt(cursor, `unknown builtin ${text}`, name)
  const shape = predicateShape(text)
  const args =
    shape === undefined ? parseArguments(cursor, given, parseWhole) : parsePredicateArguments(cursor, shape, given)
  return build(cursor, { kind: 'builtin', offset, name: text, args }, args)
}

type ArgumentShapes = NonNullable<ReturnType<typeof predicateShape>>

function parsePredicateArguments(cursor: Cursor, shapes: ArgumentShapes, given: readonly ExprNode[]): ExprNode[] {
  expect(cursor, 'Bracket', '(')
  const args = [...given]
  const wanted = shapes.slice(given.length)
  for (const [index, shape] of wanted.entries()) {
    if (isAt(cursor, 'Bracket', ')')) {
      if (shape.optional) break
      throw failAt(cursor, `expected at least ${wanted.length} arguments`)
    }
    if (index > 0) expect(cursor, 'Operator', ',')
    args.push(shape.kind === 'predicate' ? parsePredicate(cursor) : parseBinary(cursor, 0))
  }
  accept(cursor, 'Operator', ',')
  expect(cursor, 'Bracket', ')')
  return args
}

function parsePredicate(cursor: Cursor): ExprNode {
  const { offset } = cursor.current
  cursor.predicates += 1
  const body = isAt(cursor, 'Bracket', '{') ? parseBlock(cursor) : parseBinary(cursor, 0)
  if (isAt(cursor, 'Operator', ';')) throw failAt(cursor, 'wrap predicate with brackets { and }')
  cursor.predicates -= 1
  return build(cursor, { kind: 'predicate', offset, body }, [body])
}

/** Parses the postfix operators of an operand: members, indexes, slices and method calls. */
function parsePostfix(cursor: Cursor, operand: ExprNode): ExprNode {
  let node = operand
  for (;;) {
    const optional = isAt(cursor, 'Operator', '?.')
    if (optional || isAt(cursor, 'Operator', '.')) {
      advance(cursor)
      node =
        optional && isAt(cursor, 'Bracket', '[') ? parseIndex(cursor, node, true) : parseMember(cursor, node, optional)
    } else if (isAt(cursor, 'Bracket', '[')) {
      node = parseIndex(cursor, node, false)
    } else {
      return node
    }
  }
}

function parseMember(cursor: Cursor, object: ExprNode, optional: boolean): ExprNode {
  const { kind, text, offset } = cursor.current
  advance(cursor)
  if (kind !== 'Identifier' && (kind !== 'Operator' || !/^[\p{L}_$]/u.test(text))) throw failAt(cursor, 'expected name')
  const property = build(cursor, { kind: 'string', offset, value: text }, [])
  return joinChain(cursor, object, optional, (base) => {
    const called = isAt(cursor, 'Bracket', '(')
    const member = build(cursor, { kind: 'member', offset, object: base, property, optional, called }, [base, property])
    if (!called) return member
    const args = parseArguments(cursor, [], parseWhole)
    return build(cursor, { kind: 'call', offset, callee: member, args }, [member, ...args])
  })
}

function parseIndex(cursor: Cursor, object: ExprNode, optional: boolean): ExprNode {
  const { offset } = expect(cursor, 'Bracket', '[')
  const from = isAt(cursor, 'Operator', ':') ? undefined : parseBinary(cursor, 0)
  if (accept(cursor, 'Operator', ':')) {
    const to = isAt(cursor, 'Bracket', ']') ? undefined : parseBinary(cursor, 0)
    expect(cursor, 'Bracket', ']')
    return build(cursor, { kind: 'slice', offset, object, from, to }, [object, from, to])
  }
  expect(cursor, 'Bracket', ']')
  if (from === undefined) throw unexpectedToken(cursor)
  const index = (base: ExprNode): ExprNode =>
    build(cursor, { kind: 'member', offset, object: base, property: from, optional, called: false }, [base, from])
  // The chain skipped by a `?.` ends before a non-optional index.
  return optional ? joinChain(cursor, object, optional, index) : index(object)
}
