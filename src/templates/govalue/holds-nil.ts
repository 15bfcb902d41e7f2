import { isGoList, isGoMap } from './type-name.ts'
import type { GoValue } from './value.ts'

/** Whether the printed value is or contains nil. */
export function holdsNil(value: GoValue): boolean {
  if (isGoList(value)) return value.some(holdsNil)
  return isGoMap(value) ? [...value.values()].some(holdsNil) : value === null
}
