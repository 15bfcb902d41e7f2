import type { BinaryOperator } from './syntax.ts'
import {
  BOOL,
  DURATION,
  FLOAT,
  INT,
  INTS,
  isAssignable,
  isComparable,
  isNumeric,
  NIL,
  STRING,
  TIME,
  typeName,
  UNKNOWN,
  type ExprType,
} from './types.ts'

type Kind = ExprType['kind']

/** Pair of operand kinds for an operator (`number` is int or float), and the result. */
interface Rule {
  readonly left: Kind | 'number'
  readonly right: Kind | 'number'
  readonly result: ExprType | 'promoted'
}

function rule(left: Rule['left'], right: Rule['right'], result: Rule['result']): Rule {
  return { left, right, result }
}

interface OperatorTypes {
  readonly rules: readonly Rule[]
  /** Result type if one operand is unknown and the other is of a kind in the rules. */
  readonly otherwise: ExprType
}

const LOGIC: OperatorTypes = { rules: [rule('bool', 'bool', BOOL)], otherwise: BOOL }
const TEXT: OperatorTypes = { rules: [rule('string', 'string', BOOL)], otherwise: BOOL }
const ORDER: OperatorTypes = {
  rules: [
    rule('number', 'number', BOOL),
    rule('string', 'string', BOOL),
    rule('time', 'time', BOOL),
    rule('duration', 'duration', BOOL),
  ],
  otherwise: BOOL,
}
const TO_FLOAT: OperatorTypes = { rules: [rule('number', 'number', FLOAT)], otherwise: FLOAT }

const TABLE: ReadonlyMap<BinaryOperator, OperatorTypes> = new Map<BinaryOperator, OperatorTypes>([
  ['or', LOGIC],
  ['||', LOGIC],
  ['and', LOGIC],
  ['&&', LOGIC],
  ['<', ORDER],
  ['>', ORDER],
  ['<=', ORDER],
  ['>=', ORDER],
  [
    '+',
    {
      rules: [
        rule('number', 'number', 'promoted'),
        rule('string', 'string', STRING),
        rule('time', 'duration', TIME),
        rule('duration', 'time', TIME),
        rule('duration', 'duration', DURATION),
      ],
      otherwise: UNKNOWN,
    },
  ],
  [
    '-',
    {
      rules: [
        rule('number', 'number', 'promoted'),
        rule('time', 'time', DURATION),
        rule('time', 'duration', TIME),
        rule('duration', 'duration', DURATION),
      ],
      otherwise: UNKNOWN,
    },
  ],
  [
    '*',
    {
      rules: [
        rule('number', 'number', 'promoted'),
        // A duration times a float is a float at run time, so the result type is left unknown.
        rule('number', 'duration', UNKNOWN),
        rule('duration', 'number', UNKNOWN),
        rule('duration', 'duration', DURATION),
      ],
      otherwise: UNKNOWN,
    },
  ],
  ['/', TO_FLOAT],
  ['**', TO_FLOAT],
  ['^', TO_FLOAT],
  ['%', { rules: [rule('int', 'int', INT)], otherwise: INT }],
  ['..', { rules: [rule('int', 'int', INTS)], otherwise: INTS }],
  ['contains', TEXT],
  ['startsWith', TEXT],
  ['endsWith', TEXT],
  ['matches', { rules: [...TEXT.rules, rule('bytes', 'string', BOOL)], otherwise: BOOL }],
])

function isOfType(type: ExprType, wanted: Rule['left']): boolean {
  return wanted === 'number' ? isNumeric(type) : type.kind === wanted
}

/** Result type, or the message for operands that do not fit. */
export type BinaryCheck = { readonly type: ExprType } | { readonly message: string }

export function checkBinary(operator: BinaryOperator, left: ExprType, right: ExprType): BinaryCheck {
  if (operator === '??') return { type: coalesceType(left, right) }
  if (operator === 'in') return checkIn(left, right)
  const types = TABLE.get(operator)
  if (types === undefined) return isComparable(left, right) ? { type: BOOL } : mismatch(operator, left, right)
  const found = types.rules.find((candidate) => isOfType(left, candidate.left) && isOfType(right, candidate.right))
  if (found !== undefined) return { type: found.result === 'promoted' ? promote(left, right) : found.result }
  return mayFit(types.rules, left, right) ? { type: types.otherwise } : mismatch(operator, left, right)
}

function mayFit(rules: readonly Rule[], left: ExprType, right: ExprType): boolean {
  if (left.kind === 'unknown' && right.kind === 'unknown') return true
  if (left.kind === 'unknown') return rules.some((candidate) => isOfType(right, candidate.right))
  return right.kind === 'unknown' && rules.some((candidate) => isOfType(left, candidate.left))
}

function promote(left: ExprType, right: ExprType): ExprType {
  return left.kind === 'float' || right.kind === 'float' ? FLOAT : INT
}

function mismatch(operator: BinaryOperator, left: ExprType, right: ExprType): BinaryCheck {
  const types = `mismatched types ${typeName(left)} and ${typeName(right)}`
  return { message: `invalid operation: ${operator} (${types})` }
}

function coalesceType(left: ExprType, right: ExprType): ExprType {
  if (left.kind === 'nil') return right.kind === 'nil' ? NIL : right
  if (right.kind === 'nil') return left
  return left.kind !== 'unknown' && right.kind !== 'unknown' && isAssignable(right, left) ? left : UNKNOWN
}

function checkIn(needle: ExprType, haystack: ExprType): BinaryCheck {
  if (haystack.kind === 'map') {
    const isKey = needle.kind === 'unknown' || needle.kind === 'nil' || isAssignable(needle, haystack.key)
    if (isKey) return { type: BOOL }
    return { message: `cannot use ${typeName(needle)} as type ${typeName(haystack.key)} in map key` }
  }
  if (haystack.kind === 'list') {
    if (isComparable(needle, haystack.element)) return { type: BOOL }
    return { message: `cannot use ${typeName(needle)} as type ${typeName(haystack.element)} in array` }
  }
  const isStruct = haystack.kind === 'time' || haystack.kind === 'location'
  if (isStruct && (needle.kind === 'string' || needle.kind === 'unknown')) return { type: BOOL }
  if (haystack.kind === 'unknown' || haystack.kind === 'bytes') return { type: BOOL }
  if (needle.kind === 'unknown' && haystack.kind === 'string') return { type: BOOL }
  return mismatch('in', needle, haystack)
}
