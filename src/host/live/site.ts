import type { Journal } from './journal.ts'
import { openRoot, type Place } from './place.ts'

/** Opens the root directory of paths. */
export type OpenRoot = () => Place

/** The destination of a fix: the root of its paths, and the journal of its writes. */
export interface Site {
  readonly root: OpenRoot
  readonly journal: Journal
}

/** The machine that this process runs on. */
export function onThisMachine(journal: Journal): Site {
  return { root: openRoot, journal }
}
