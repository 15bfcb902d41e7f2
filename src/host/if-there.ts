import { known, type Reading } from '../model/observation.ts'
import { errorCode, provesAbsence, unreadable } from './live/system-error.ts'

/** What `read` returns; undefined if its file or directory does not exist. */
export function ifThere<Value>(read: () => Value): Value | undefined {
  return unless((error) => errorCode(error) === 'ENOENT', read)
}

/** What `read` returns; undefined if its path is proven absent, even because a part of it is not a directory. */
export function unlessAbsent<Value>(read: () => Value): Value | undefined {
  return unless(provesAbsence, read)
}

function unless<Value>(isAbsence: (error: unknown) => boolean, read: () => Value): Value | undefined {
  try {
    return read()
  } catch (error) {
    if (isAbsence(error)) return undefined
    throw error
  }
}

/** What `read` returns of a path, or why it is unreadable; null if it is proven absent. */
export function readUnlessAbsent<Value>(path: string, read: () => Value): Reading<Value | null> {
  try {
    return known(read())
  } catch (error) {
    return provesAbsence(error) ? known(null) : unreadable(error, path)
  }
}
