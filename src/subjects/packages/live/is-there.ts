import { statSync } from 'node:fs'
import { provesAbsence } from '../../../host/live/system-error.ts'

/** Whether something is at the path. What may not be looked at counts as there: reading it will say what is wrong. */
export function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    return !provesAbsence(error)
  }
}
