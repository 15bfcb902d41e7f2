import { formatGoValue, type GoValue, isGoList, isGoMap } from '../../templates/govalue/index.ts'
import { type Redactor, SECRET } from './redactor.ts'

/** Replaces every secret in a value, at any depth. A value that is not text is replaced if it is a secret as a whole. */
export function redactValue(value: GoValue, redactor: Redactor): GoValue {
  if (typeof value === 'string') return redactor.text(value)
  if (isGoList(value)) return value.map((item) => redactValue(item, redactor))
  if (isGoMap(value)) {
    return new Map([...value].map(([key, item]) => [redactValue(key, redactor), redactValue(item, redactor)]))
  }
  if (value === null || typeof value === 'boolean') return value
  return redactor.text(formatGoValue(value)) === SECRET ? SECRET : value
}
