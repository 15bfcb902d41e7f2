import type { Redactor } from './redactor.ts'
import { formatGoValue, type GoValue } from '../template/govalue/index.ts'

/** What stands for a secret inside of other values. */
export const SECRET = '(secret)'

/** The same value with every secret replaced, at any depth. */
export function redactValue(value: GoValue, redactor: Redactor): GoValue {
  if (typeof value === 'string') return redactor.text(value)
  if (Array.isArray(value)) return value.map((item: GoValue) => redactValue(item, redactor))
  if (value instanceof Map) {
    return new Map([...value].map(([key, item]) => [redactValue(key, redactor), redactValue(item, redactor)]))
  }
  if (typeof value !== 'bigint' && typeof value !== 'number') return value
  return redactor.text(formatGoValue(value)) === SECRET ? SECRET : value
}
