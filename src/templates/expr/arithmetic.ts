import { TemplateError } from '../errors.ts'
import type { Budget } from '../govalue/budget.ts'
import { compareGoValues, goEqual, isNumber } from '../govalue/index.ts'
import { goDuration } from '../govalue/duration.ts'
import { wrapInt64 } from '../govalue/int64.ts'
import { NIL_LIST } from '../govalue/nil-list.ts'
import { goPow } from '../govalue/pow.ts'
import { goKind, goTypeName, isGoBytes, isGoList, isGoMap } from '../govalue/type-name.ts'
import { decodeUtf8 } from '../govalue/utf8.ts'
import type { GoDuration, GoTime, GoValue } from '../govalue/value.ts'
import { hasKey } from './access.ts'
import { asInt, asString } from './builtins/builtin.ts'
import { matchesPattern } from './regex.ts'
import type { BinaryOperator } from './syntax.ts'

/** Operators that always evaluate both operands. */
export type StrictOperator = Exclude<BinaryOperator, 'or' | '||' | 'and' | '&&' | '??'>

function invalid(operator: string, a: GoValue, b: GoValue): TemplateError {
  return new TemplateError(`invalid operation: ${goTypeName(a)} ${operator} ${goTypeName(b)}`)
}

function isTime(value: GoValue): value is GoTime {
  return goKind(value) === 'time'
}

function isDuration(value: GoValue): value is GoDuration {
  return goKind(value) === 'duration'
}

// Short text is cheap to copy; only long text counts against the budget.
const SHORT_TEXT = 1024

/** `a + b`: numbers, texts, times and durations. Throws a `TemplateError` without a location. */
export function add(a: GoValue, b: GoValue, budget: Budget): GoValue {
  if (typeof a === 'bigint' && typeof b === 'bigint') return wrapInt64(a + b)
  if (isNumber(a) && isNumber(b)) return Number(a) + Number(b)
  if (typeof a === 'string' && typeof b === 'string') {
    if (a.length + b.length > SHORT_TEXT) budget.text(a.length + b.length)
    return a + b
  }
  if (isTime(a) && isDuration(b)) return { ...a, unixNanoseconds: a.unixNanoseconds + b.nanoseconds }
  if (isDuration(a) && isTime(b)) return { ...b, unixNanoseconds: a.nanoseconds + b.unixNanoseconds }
  if (isDuration(a) && isDuration(b)) return goDuration(a.nanoseconds + b.nanoseconds)
  throw invalid('+', a, b)
}

function subtract(a: GoValue, b: GoValue): GoValue {
  if (typeof a === 'bigint' && typeof b === 'bigint') return wrapInt64(a - b)
  if (isNumber(a) && isNumber(b)) return Number(a) - Number(b)
  if (isTime(a) && isTime(b)) return goDuration(a.unixNanoseconds - b.unixNanoseconds)
  if (isTime(a) && isDuration(b)) return { ...a, unixNanoseconds: a.unixNanoseconds - b.nanoseconds }
  if (isDuration(a) && isDuration(b)) return goDuration(a.nanoseconds - b.nanoseconds)
  throw invalid('-', a, b)
}

function multiply(a: GoValue, b: GoValue): GoValue {
  if (typeof a === 'bigint' && typeof b === 'bigint') return wrapInt64(a * b)
  if (isNumber(a) && isNumber(b)) return Number(a) * Number(b)
  if (isDuration(a)) return scale(a, b)
  if (isDuration(b) && isNumber(a)) return scale(b, a)
  throw invalid('*', a, b)
}

/** A duration times an int or a duration is a duration; times a float it is a float, as in expr-lang. */
function scale(duration: GoDuration, factor: GoValue): GoValue {
  if (typeof factor === 'bigint') return goDuration(duration.nanoseconds * factor)
  if (typeof factor === 'number') return Number(duration.nanoseconds) * factor
  if (isDuration(factor)) return goDuration(duration.nanoseconds * factor.nanoseconds)
  throw invalid('*', duration, factor)
}

function divide(a: GoValue, b: GoValue): GoValue {
  if (isNumber(a) && isNumber(b)) return Number(a) / Number(b)
  throw invalid('/', a, b)
}

function modulo(a: GoValue, b: GoValue): GoValue {
  if (typeof a !== 'bigint' || typeof b !== 'bigint') throw invalid('%', a, b)
  if (b === 0n) throw new TemplateError('runtime error: integer divide by zero')
  return a % b
}

function toFloat(value: GoValue): number {
  if (isNumber(value)) return Number(value)
  throw new TemplateError(`invalid operation: float(${goTypeName(value)})`)
}

function range(a: GoValue, b: GoValue, budget: Budget): GoValue {
  const [from, to] = [asInt(a), asInt(b)]
  const size = to - from + 1n
  if (size <= 0n) return []
  budget.produce(Number(size))
  return Array.from({ length: Number(size) }, (_, index) => from + BigInt(index))
}

/** A nil list equals nil as well as other empty lists. */
function isEqual(a: GoValue, b: GoValue, budget: Budget): boolean {
  const isNilList = (a === NIL_LIST && b === null) || (b === NIL_LIST && a === null)
  return isNilList || goEqual(a, b, budget)
}

/** `a < b`. Throws a `TemplateError` without a location for values without an order. */
export function lessThan(a: GoValue, b: GoValue): boolean {
  return order('<', a, b, (difference) => difference < 0)
}

function order(operator: string, a: GoValue, b: GoValue, test: (difference: number) => boolean): boolean {
  const difference = compareGoValues(a, b)
  if (difference === undefined) throw invalid(operator, a, b)
  return test(difference)
}

function isIn(needle: GoValue, haystack: GoValue, budget: Budget): boolean {
  if (haystack === null) return false
  if (isGoMap(haystack)) return hasKey(haystack, needle)
  if (isGoBytes(haystack)) return isNumber(needle) && haystack.includes(Number(needle))
  if (isGoList(haystack)) {
    budget.step(Math.ceil(haystack.length / 16))
    return haystack.some((item) => goEqual(item, needle, budget))
  }
  const kind = goKind(haystack)
  if (kind === 'time' || kind === 'location') return false
  throw new TemplateError(`operator "in" not defined on ${goTypeName(haystack)}`)
}

function testText(a: GoValue, b: GoValue, test: (text: string, part: string) => boolean): boolean {
  if (a === null || b === null) return false
  return test(asString(a), asString(b))
}

function matches(a: GoValue, b: GoValue, budget: Budget): boolean {
  if (a === null || b === null) return false
  const text = isGoBytes(a) ? decodeUtf8(a) : asString(a)
  budget.step(1 + Math.ceil(text.length / 64))
  return matchesPattern(asString(b), text)
}

/** Applies an operator to its operands. Throws a `TemplateError` without a location. */
export function applyBinary(operator: StrictOperator, a: GoValue, b: GoValue, budget: Budget): GoValue {
  switch (operator) {
    case '==':
      return isEqual(a, b, budget)
    case '!=':
      return !isEqual(a, b, budget)
    case '<':
      return lessThan(a, b)
    case '>':
      return order('>', a, b, (difference) => difference > 0)
    case '<=':
      return order('<=', a, b, (difference) => difference <= 0)
    case '>=':
      return order('>=', a, b, (difference) => difference >= 0)
    case '+':
      return add(a, b, budget)
    case '-':
      return subtract(a, b)
    case '*':
      return multiply(a, b)
    case '/':
      return divide(a, b)
    case '%':
      return modulo(a, b)
    case '**':
    case '^':
      return goPow(toFloat(a), toFloat(b))
    case '..':
      return range(a, b, budget)
    case 'in':
      return isIn(a, b, budget)
    case 'matches':
      return matches(a, b, budget)
    case 'contains':
      return testText(a, b, (text, part) => text.includes(part))
    case 'startsWith':
      return testText(a, b, (text, part) => text.startsWith(part))
    case 'endsWith':
      return testText(a, b, (text, part) => text.endsWith(part))
  }
}

/** Applies `-`; `+` returns its operand, `not` and `!` require a bool. */
export function negate(value: GoValue): GoValue {
  if (typeof value === 'bigint') return wrapInt64(-value)
  if (typeof value === 'number') return -value
  throw new TemplateError(`invalid operation: - ${goTypeName(value)}`)
}
