import { chmodSync, mkdirSync } from 'node:fs'
import type { Place } from '../../../host/live/place.ts'
import { errorCode } from '../../../host/live/system-error.ts'
import { refuseEntry } from '../../../host/archive/archive-error.ts'
import type { ArchiveMeter } from '../../../host/archive/archive-limits.ts'

/** Without these bits the owner could not fill, move or remove the directory. */
export const OWNER_BITS = 0o700

const IMPLIED_DIRECTORY_MODE = 0o755

export interface StageWalker {
  /**
   * Parent directory of the entry, created with its parents if missing; valid until the next call. Throws an `ArchiveError` if a
   * parent is not a directory.
   */
  readonly holderOf: (name: string, components: readonly string[]) => Place
  readonly close: () => void
}

/** Starts at the root of a stage, which the caller closes. */
export function openWalker(root: Place, meter: ArchiveMeter): StageWalker {
  let last: { readonly key: string; readonly place: Place } | undefined

  function descend(name: string, path: readonly string[]): Place {
    let place = root
    for (const component of path) {
      const next = enterOrMake(place, component, meter)
      if (place !== root) place.close()
      place = next
      if (next.stats.isDirectory()) continue
      next.close()
      throw refuseEntry(name, `has ${JSON.stringify(component)} in its path, which is not a directory in the archive`)
    }
    return place
  }

  function leave(): void {
    if (last !== undefined && last.place !== root) last.place.close()
    last = undefined
  }

  return {
    holderOf(name, components) {
      const path = components.slice(0, -1)
      const key = path.join('/')
      // Entries of one directory are usually consecutive.
      if (last?.key === key) return last.place
      const place = descend(name, path)
      leave()
      last = { key, place }
      return place
    },
    close: leave,
  }
}

function enterOrMake(holder: Place, component: string, meter: ArchiveMeter): Place {
  try {
    return holder.child(component)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
  meter.countEntry()
  mkdirSync(holder.entry(component), { mode: OWNER_BITS })
  const made = holder.child(component)
  chmodSync(made.handle, IMPLIED_DIRECTORY_MODE)
  return made
}
