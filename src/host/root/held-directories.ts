import { posix } from 'node:path'
import { nameFromBytes } from '../live/file-name.ts'
import type { RootedPlace } from './root-place.ts'

/** Directories beyond this limit are opened and closed each time. */
const MOST_HELD = 200

/** A root whose directories stay open until the next turn of the event loop: most questions are about neighbouring paths. */
export interface HeldDirectories {
  readonly root: () => RootedPlace
  /** Reopens directories on the next question, since they may have changed. */
  readonly forget: () => void
}

interface Held {
  readonly place: RootedPlace
  users: number
}

/** For reading only: a writer must not get a directory that was opened before. */
export function holdDirectories(openRoot: () => RootedPlace): HeldDirectories {
  const held = new Map<string, Held>()

  function forget(): void {
    const all = [...held.values()]
    held.clear()
    all.forEach(release)
  }

  function openAt(path: string, open: () => RootedPlace): RootedPlace {
    const known = held.get(path)
    if (known !== undefined) return lendPlace(known)
    const place = open()
    if (!place.stats.isDirectory() || held.size >= MOST_HELD) return place
    if (held.size === 0) setImmediate(forget)
    const opened = { place, users: 1 }
    held.set(path, opened)
    return lendPlace(opened)
  }

  function lendPlace(directory: Held): RootedPlace {
    const { place } = directory
    directory.users++
    return {
      ...place,
      child(written) {
        const name = typeof written === 'string' ? written : nameFromBytes(written)
        const open = (): RootedPlace => place.child(written)
        return name.includes('/') ? open() : openAt(posix.join(place.path, name), open)
      },
      close: () => release(directory),
    }
  }

  return { root: () => openAt('/', openRoot), forget }
}

function release(directory: Held): void {
  directory.users--
  if (directory.users === 0) directory.place.close()
}
