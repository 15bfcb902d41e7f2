import { TemplateError } from '../errors.ts'
import {
  compareGoValues,
  formatGoValue,
  goTypeName,
  isGoBytes,
  isGoList,
  isGoMap,
  type GoValue,
} from '../govalue/index.ts'
import { isGoDuration, isGoEnum, isGoFunction, isGoInt64, isGoTime } from './kinds.ts'

type BasicKind = 'bool' | 'integer' | 'float' | 'string'

function basicKind(value: GoValue): BasicKind | undefined {
  switch (typeof value) {
    case 'boolean':
      return 'bool'
    case 'bigint':
      return 'integer'
    case 'number':
      return 'float'
    case 'string':
      return 'string'
    default:
      return isGoDuration(value) || isGoEnum(value) || isGoInt64(value) ? 'integer' : undefined
  }
}

function toBasic(value: GoValue): GoValue {
  if (isGoEnum(value) || isGoInt64(value)) return value.value
  return isGoDuration(value) ? value.nanoseconds : value
}

function incompatible(a: GoValue, b: GoValue): TemplateError {
  return new TemplateError(`incompatible types for comparison: ${goTypeName(a)} and ${goTypeName(b)}`)
}

/** `eq`: the first argument equals one of the others. Only basic types, times and nil can be compared. */
export function equalsAny(first: GoValue, others: readonly GoValue[]): boolean {
  if (others.length === 0) throw new TemplateError('missing argument for comparison')
  return others.some((other) => equals(first, other))
}

function equals(a: GoValue, b: GoValue): boolean {
  if (a === null || b === null) return a === b
  const kind = basicKind(a)
  if (kind !== basicKind(b)) throw incompatible(a, b)
  if (kind !== undefined) return toBasic(a) === toBasic(b)
  if (goTypeName(a) !== goTypeName(b)) {
    throw new TemplateError(
      `non-comparable types ${formatGoValue(a)}: ${goTypeName(a)}, ${goTypeName(b)}: ${formatGoValue(b)}`,
    )
  }
  if (isGoList(b) || isGoMap(b) || isGoBytes(b) || isGoFunction(b)) {
    throw new TemplateError(`non-comparable type ${formatGoValue(b)}: ${goTypeName(b)}`)
  }
  if (isGoTime(a) && isGoTime(b)) {
    return a.unixNanoseconds === b.unixNanoseconds && a.location.name === b.location.name
  }
  return a === b
}

/** `lt`: two integers, floats or strings in order. Throws for other types. */
export function isLess(a: GoValue, b: GoValue): boolean {
  const kind = orderedKind(a)
  if (kind !== orderedKind(b)) throw incompatible(a, b)
  if (kind === 'bool') throw new TemplateError('invalid type for comparison')
  const order = compareGoValues(toBasic(a), toBasic(b))
  return order !== undefined && order < 0
}

function orderedKind(value: GoValue): BasicKind {
  const kind = basicKind(value)
  if (kind === undefined) throw new TemplateError('invalid type for comparison')
  return kind
}

export function isLessOrEqual(a: GoValue, b: GoValue): boolean {
  return isLess(a, b) || equals(a, b)
}
