import { TemplateError } from '../errors.ts'
import {
  decodeUtf8,
  floatToInt64,
  formatGoValue,
  goEqual,
  isGoBytes,
  parseDecimalInt64,
  parseGoFloat,
  wrapInt64,
  type Budget,
  isNumber,
} from '../govalue/index.ts'
import type { BinaryOperator } from './ast.ts'
import { isSpecial, jetTypeName, toGoValue, type JetValue } from './values.ts'

/** The operators that evaluate both sides. */
export type ValueOperator = Exclude<BinaryOperator, '&&' | '||'>

/**
 * Applies an operator. The left operand decides the kind of arithmetic: int with int stays int (wrapping at 64 bits), a float on
 * either side makes both floats, text on the right is parsed as a number, text on the left is concatenated. Throws a
 * `TemplateError` where Jet fails, and for remainders by zero, where Jet crashes.
 */
export function applyOperator(operator: ValueOperator, left: JetValue, right: JetValue, budget: Budget): JetValue {
  switch (operator) {
    case '==':
      return areEqual(left, right, budget)
    case '!=':
      return !areEqual(left, right, budget)
    case '<':
    case '<=':
    case '>':
    case '>=':
      return compare(operator, left, right)
    case '+':
    case '-':
      return addOrSubtract(operator, left, right, budget)
    case '*':
    case '/':
    case '%':
      return multiply(operator, left, right)
  }
}

/** `+x` and `-x`. */
export function applySign(sign: '+' | '-', operand: JetValue): JetValue {
  if (typeof operand === 'bigint') return sign === '-' ? wrapInt64(-operand) : operand
  if (typeof operand === 'number') return sign === '-' ? -operand : operand
  throw new TemplateError(`additive expression: right side (${jetTypeName(operand)}) is not a numeric value`)
}

function areEqual(left: JetValue, right: JetValue, budget: Budget): boolean {
  if (isSpecial(left) || isSpecial(right)) {
    return isSpecial(left) && left.kind === 'hidden' ? areEqual(left.value, right, budget) : false
  }
  // The left operand decides the kind, and an int truncates a float on the right.
  if (typeof left === 'bigint' && typeof right === 'number') return left === floatToInt64(right)
  return goEqual(toGoValue(left), toGoValue(right), budget)
}

function compare(operator: '<' | '<=' | '>' | '>=', left: JetValue, right: JetValue): boolean {
  const [a, b] = numberPair(left, right, 'a non numeric value in numeric comparative expression')
  switch (operator) {
    case '<':
      return a < b
    case '<=':
      return a <= b
    case '>':
      return a > b
    case '>=':
      return a >= b
  }
}

function addOrSubtract(operator: '+' | '-', left: JetValue, right: JetValue, budget: Budget): JetValue {
  if (left === undefined) throw new TemplateError('left side of additive expression is invalid value')
  if (right === undefined) throw new TemplateError('right side of additive expression is invalid value')
  if (typeof left === 'string') return concatenate(operator, left, right, budget)
  const message = `additive expression: left side (${jetTypeName(left)}) is not a numeric value`
  const [a, b] = numberPair(left, right, message)
  if (typeof a === 'bigint' && typeof b === 'bigint') return wrapInt64(operator === '+' ? a + b : a - b)
  return operator === '+' ? Number(a) + Number(b) : Number(a) - Number(b)
}

const SHORT_TEXT = 1024

function concatenate(operator: '+' | '-', left: string, right: JetValue, budget: Budget): string {
  if (operator === '-') throw new TemplateError('minus signal is not allowed with strings')
  const value = toGoValue(right)
  const text = isGoBytes(value) ? decodeUtf8(value) : formatGoValue(value, budget)
  // Short text is cheap to copy, and a loop may build long text from many short pieces.
  if (left.length + text.length > SHORT_TEXT) budget.text(left.length + text.length)
  return left + text
}

function multiply(operator: '*' | '/' | '%', left: JetValue, right: JetValue): JetValue {
  const message = 'a non numeric value in multiplicative expression'
  if (operator === '%') {
    if (!isNumber(left)) throw new TemplateError(message)
    const divisor = toInt(right)
    if (divisor === 0n) throw new TemplateError('division by zero')
    return (typeof left === 'bigint' ? left : floatToInt64(left)) % divisor
  }
  const [a, b] = numberPair(left, right, message)
  if (operator === '/' && (b === 0 || b === 0n)) throw new TemplateError('division by zero')
  if (typeof a === 'bigint' && typeof b === 'bigint') return wrapInt64(operator === '*' ? a * b : a / b)
  return operator === '*' ? Number(a) * Number(b) : Number(a) / Number(b)
}

// Converts two operands to one kind: floats if either is a float, ints otherwise.
function numberPair(
  left: JetValue,
  right: JetValue,
  message: string,
): readonly [bigint, bigint] | readonly [number, number] {
  if (!isNumber(left)) throw new TemplateError(message)
  if (typeof left === 'number') return [left, toFloat(right)]
  return typeof right === 'number' ? [Number(left), right] : [left, toInt(right)]
}

function toInt(value: JetValue): bigint {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') return floatToInt64(value)
  return readText(value, 'int64', parseDecimalInt64)
}

function toFloat(value: JetValue): number {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return Number(value)
  return readText(value, 'float64', parseGoFloat)
}

function readText<T>(value: JetValue, type: string, parse: (text: string) => T | undefined): T {
  if (value === undefined) throw new TemplateError(`invalid value can't be converted to ${type}`)
  if (typeof value !== 'string') {
    throw new TemplateError(`type: ${JSON.stringify(jetTypeName(value))} can't be converted to ${type}`)
  }
  const number = parse(value)
  if (number === undefined) throw new TemplateError(`parsing ${JSON.stringify(value)}: invalid syntax`)
  return number
}

/** Truncated integer of a numeric value; undefined for other kinds. */
export function toWholeNumber(value: JetValue): bigint | undefined {
  if (typeof value === 'bigint') return value
  return typeof value === 'number' ? floatToInt64(value) : undefined
}
