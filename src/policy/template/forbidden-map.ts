import { ForbiddenError } from '../../templates/errors.ts'
import type { GoValue } from '../../templates/govalue/index.ts'

/** A map whose content must not be accessed: any access throws a `ForbiddenError` with this sentence. */
export function forbiddenMap(sentence: string): ReadonlyMap<GoValue, GoValue> {
  const refuse = (): never => {
    throw new ForbiddenError(sentence)
  }
  const map = new Map<GoValue, GoValue>()
  for (const name of ['has', 'get', 'entries', 'keys', 'values', 'forEach', Symbol.iterator] as const) {
    Object.defineProperty(map, name, { value: refuse })
  }
  return Object.defineProperty(map, 'size', { get: refuse })
}
