import type { BinaryOperator, UnaryOperator } from './syntax.ts'

interface OperatorRule {
  readonly precedence: number
  readonly associativity: 'left' | 'right'
}

function left(precedence: number): OperatorRule {
  return { precedence, associativity: 'left' }
}

const BINARY: ReadonlyMap<string, OperatorRule> = new Map<BinaryOperator | '|', OperatorRule>([
  ['|', left(0)],
  ['or', left(10)],
  ['||', left(10)],
  ['and', left(15)],
  ['&&', left(15)],
  ['==', left(20)],
  ['!=', left(20)],
  ['<', left(20)],
  ['>', left(20)],
  ['>=', left(20)],
  ['<=', left(20)],
  ['in', left(20)],
  ['matches', left(20)],
  ['contains', left(20)],
  ['startsWith', left(20)],
  ['endsWith', left(20)],
  ['..', left(25)],
  ['+', left(30)],
  ['-', left(30)],
  ['*', left(60)],
  ['/', left(60)],
  ['%', left(60)],
  ['**', { precedence: 100, associativity: 'right' }],
  ['^', { precedence: 100, associativity: 'right' }],
  ['??', left(500)],
])

const UNARY: ReadonlyMap<string, number> = new Map<UnaryOperator, number>([
  ['not', 50],
  ['!', 50],
  ['-', 90],
  ['+', 90],
])

/** Precedence and associativity of a binary operator; `|` is the pipe. Undefined for other text. */
export function binaryRule(text: string): OperatorRule | undefined {
  return BINARY.get(text)
}

/** Precedence of a unary operator's operand. Undefined for other text. */
export function unaryPrecedence(text: string): number | undefined {
  return UNARY.get(text)
}

/** Narrows the text of an operator token. */
export function isBinaryOperator(text: string): text is BinaryOperator {
  return text !== '|' && BINARY.has(text)
}

/** Narrows the text of an operator token. */
export function isUnaryOperator(text: string): text is UnaryOperator {
  return UNARY.has(text)
}

/** `a < b < c` means `a < b && b < c`, with these operators only. */
export function isChainedComparison(text: string): text is '<' | '>' | '<=' | '>=' {
  return text === '<' || text === '>' || text === '<=' || text === '>='
}

/** Operators that may follow `not`: `a not in b`. */
export function isNegatable(text: string): boolean {
  return ['in', 'matches', 'contains', 'startsWith', 'endsWith'].includes(text)
}
