import { formatGoValue, type GoValue, isGoList, isGoMap } from '../../templates/govalue/index.ts'
import { type Redactor, SECRET } from './redactor.ts'

/** The same value with every secret replaced, at any depth. What is no text is replaced where it is one as a whole. */
export function redactValue(value: GoValue, redactor: Redactor): GoValue {
  if (typeof value === 'string') return redactor.text(value)
  if (isGoList(value)) return value.map((item) => redactValue(item, redactor))
  if (isGoMap(value)) {
    return new Map([...value].map(([key, item]) => [redactValue(key, redactor), redactValue(item, redactor)]))
  }
  if (value === null || typeof value === 'boolean') return value
  return redactor.text(formatGoValue(value)) === SECRET ? SECRET : value
}
