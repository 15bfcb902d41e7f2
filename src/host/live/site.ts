import type { Journal } from './journal.ts'
import { openRoot, type Place } from './place.ts'

/** Opens the root directory at which paths begin. */
export type OpenRoot = () => Place

/** Where a fix writes: the root that its paths begin at, and the journal that remembers what a killed write leaves there. */
export interface Site {
  readonly root: OpenRoot
  readonly journal: Journal
}

/** The machine this process runs on. */
export function onThisMachine(journal: Journal): Site {
  return { root: openRoot, journal }
}
