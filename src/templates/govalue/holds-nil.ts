import { isGoList, isGoMap } from './type-name.ts'
import type { GoValue } from './value.ts'

/** Whether a value prints as nil or with nil in it. */
export function holdsNil(value: GoValue): boolean {
  if (isGoList(value)) return value.some(holdsNil)
  return isGoMap(value) ? [...value.values()].some(holdsNil) : value === null
}
