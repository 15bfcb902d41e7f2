import { goKind, goTypeName } from '../govalue/type-name.ts'
import type { GoValue } from '../govalue/value.ts'

/** Type known before evaluation. `unknown` fits everywhere; the contents of host maps and lists are unknown. */
export type ExprType =
  | { readonly kind: SimpleTypeName }
  /** `name` is Go's type name; lists of different names do not mix. */
  | { readonly kind: 'list'; readonly element: ExprType; readonly name: string }
  | { readonly kind: 'map'; readonly key: ExprType; readonly value: ExprType; readonly name: string }
  | { readonly kind: 'function'; readonly signature: Signature | undefined }

export type SimpleTypeName =
  'unknown' | 'nil' | 'bool' | 'int' | 'float' | 'string' | 'bytes' | 'time' | 'duration' | 'location' | 'enum'

/** Parameters and result of a function; the number of arguments must match. */
export interface Signature {
  readonly parameters: readonly ExprType[]
  readonly result: ExprType
}

export const UNKNOWN: ExprType = { kind: 'unknown' }
export const NIL: ExprType = { kind: 'nil' }
export const BOOL: ExprType = { kind: 'bool' }
export const INT: ExprType = { kind: 'int' }
export const FLOAT: ExprType = { kind: 'float' }
export const STRING: ExprType = { kind: 'string' }
export const TIME: ExprType = { kind: 'time' }
export const DURATION: ExprType = { kind: 'duration' }
export const LOCATION: ExprType = { kind: 'location' }
export const ENUM: ExprType = { kind: 'enum' }

/** `[]interface {}` with a known element type. */
export function listOf(element: ExprType): ExprType {
  return { kind: 'list', element, name: '[]interface {}' }
}

export const LIST: ExprType = listOf(UNKNOWN)
export const INTS: ExprType = { kind: 'list', element: INT, name: '[]int' }
export const STRINGS: ExprType = { kind: 'list', element: STRING, name: '[]string' }
export const MAP: ExprType = { kind: 'map', key: STRING, value: UNKNOWN, name: 'map[string]interface {}' }
/** `map[string]string`. */
export const STRING_MAP: ExprType = { kind: 'map', key: STRING, value: STRING, name: 'map[string]string' }

/** `map[interface {}]V`, the result of `groupBy` and `fromPairs`. */
export function anyKeyMap(value: ExprType): ExprType {
  return { kind: 'map', key: UNKNOWN, value, name: 'map[interface {}]interface {}' }
}

/** Function type; without a signature its arguments are not checked. */
export function functionType(signature?: Signature): ExprType {
  return { kind: 'function', signature }
}

const SIMPLE_NAMES: Readonly<Record<SimpleTypeName, string>> = {
  unknown: 'unknown',
  nil: 'nil',
  bool: 'bool',
  int: 'int',
  float: 'float64',
  string: 'string',
  bytes: '[]uint8',
  time: 'time.Time',
  duration: 'time.Duration',
  location: '*time.Location',
  enum: 'time.Month',
}

export function typeName(type: ExprType): string {
  if (type.kind === 'list' || type.kind === 'map') return type.name
  if (type.kind === 'function') return 'func(...interface {}) (interface {}, error)'
  return SIMPLE_NAMES[type.kind]
}

/** Type of a value, as far as a compiler knows it without the contents of containers. */
export function typeOfValue(value: GoValue): ExprType {
  const kind = goKind(value)
  switch (kind) {
    case 'list':
      return LIST
    case 'map':
      return goTypeName(value) === MAP_NAME ? MAP : anyKeyMap(UNKNOWN)
    case 'function':
      return functionType()
    case 'nil':
    case 'bool':
    case 'int':
    case 'float':
    case 'string':
    case 'bytes':
    case 'time':
    case 'duration':
    case 'location':
    case 'enum':
      return { kind }
  }
}

const MAP_NAME = 'map[string]interface {}'

export function isNumeric(type: ExprType): boolean {
  return type.kind === 'int' || type.kind === 'float'
}

/** Go's assignability as far as needed here. `unknown` accepts all types but is assignable only to itself. */
export function isAssignable(from: ExprType, to: ExprType): boolean {
  if (to.kind === 'unknown') return true
  if (from.kind === 'nil') return to.kind === 'list' || to.kind === 'map' || to.kind === 'function'
  if (from.kind !== to.kind) return false
  if (from.kind === 'list' || from.kind === 'map') return typeName(from) === typeName(to)
  return true
}

/** Whether `==` between the two can be true. */
export function isComparable(a: ExprType, b: ExprType): boolean {
  if (a.kind === 'unknown' || b.kind === 'unknown' || a.kind === 'nil' || b.kind === 'nil') return true
  const isList = (type: ExprType): boolean => type.kind === 'list' || type.kind === 'bytes'
  return (isNumeric(a) && isNumeric(b)) || (isList(a) && isList(b)) || a.kind === b.kind
}
