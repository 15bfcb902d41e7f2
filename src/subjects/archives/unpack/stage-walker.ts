import { chmodSync, mkdirSync } from 'node:fs'
import type { Place } from '../../../host/live/place.ts'
import { errorCode } from '../../../host/live/system-error.ts'
import { refuseEntry } from '../../../host/archive/archive-error.ts'
import type { ArchiveMeter } from '../../../host/archive/archive-limits.ts'

/** Without these nothing could be put into a directory, or the directory be moved and removed. */
export const OWNER_BITS = 0o700

const IMPLIED_DIRECTORY_MODE = 0o755

/** Finds the directories of a stage in which entries are made. */
export interface StageWalker {
  /**
   * The directory that holds the entry with these components, made with its parents where it is missing; valid until the
   * next call. Throws an `ArchiveError` where the way to it leads through anything but directories.
   */
  readonly holderOf: (name: string, components: readonly string[]) => Place
  readonly close: () => void
}

/** Starts at the root of a stage, which stays the caller's. */
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
      throw refuseEntry(name, `leads through ${JSON.stringify(component)}, which is no directory in the archive`)
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
      // Entries of one directory come together.
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
