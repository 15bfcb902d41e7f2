import { isGoBytes, isGoList, isGoMap } from '../govalue/index.ts'
import { isGoDuration, isGoEnum, isGoInt64 } from './kinds.ts'
import type { Value } from './scope.ts'

/** Go's `template.IsTrue`: all values but false, zero, nil and empty ones. */
export function isTrue(value: Value): boolean {
  switch (typeof value) {
    case 'undefined':
      return false
    case 'boolean':
      return value
    case 'bigint':
      return value !== 0n
    case 'number':
      return value !== 0
    case 'string':
      return value !== ''
    default:
      if (value === null) return false
      if (isGoList(value) || isGoBytes(value)) return value.length > 0
      if (isGoMap(value)) return value.size > 0
      if (isGoEnum(value) || isGoInt64(value)) return value.value !== 0n
      return !isGoDuration(value) || value.nanoseconds !== 0n
  }
}
