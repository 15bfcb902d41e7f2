import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemReason } from '../../model/system-reason.ts'
import { replaceFile } from './own-file.ts'

/** The stored pending reactions of a state directory. */
export interface StoredReactions {
  readonly by: (place: string) => string | undefined
  readonly set: (place: string, by: string | undefined) => string | undefined
}

/** The pending reactions of earlier fixes; an unreadable file counts as empty. */
export function openOwedReactions(stateDirectory: string): StoredReactions {
  const path = join(stateDirectory, 'owed.json')
  const owed = new Map(Object.entries(readOwed(path)))
  return {
    by: (place) => owed.get(place),
    set(place, by) {
      if (owed.get(place) === by) return undefined
      if (by === undefined) owed.delete(place)
      else owed.set(place, by)
      try {
        replaceFile(path, JSON.stringify(Object.fromEntries(owed)), { mode: 0o600 })
        return undefined
      } catch (error) {
        return `cannot record the pending reactions: ${path}: ${systemReason(error)}`
      }
    },
  }
}

function readOwed(path: string): Readonly<Record<string, string>> {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof value !== 'object' || value === null) return {}
    return Object.fromEntries(
      Object.entries(value).flatMap(([place, by]) => (typeof by === 'string' ? [[place, by]] : [])),
    )
  } catch {
    // There is no file, or it belongs to a fix of another user.
    return {}
  }
}
