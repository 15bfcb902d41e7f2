import { closeSync, constants, openSync } from 'node:fs'
import { nameFromBytes } from '../live/file-name.ts'
import { type Place, descriptorPlace } from '../live/place.ts'
import { RefusedFile } from '../live/system-error.ts'

/** Directories that only a running system fills: their content on disk is meaningless. */
export const VOLATILE: ReadonlySet<string> = new Set(['proc', 'sys', 'dev', 'run'])

/** A place below a root directory, with its path there. */
export interface RootedPlace extends Place {
  readonly path: string
  child(name: string | Buffer): RootedPlace
}

/** Access to a path that only a running system has. */
export class NotRunning extends RefusedFile {
  override readonly needs = 'running-system'

  constructor(path: string) {
    super(`${path} exists only on a running system`)
  }
}

/**
 * Opens a root directory as a process with that root sees it. Every place is reached through the descriptor of its
 * parent, and `..` by the path taken, so nothing outside is ever reached, even if directories or links change
 * meanwhile.
 */
export function openRootPlace(root: string): RootedPlace {
  // The operator chose the path of the root itself, so its links are followed.
  const descriptor = openSync(root, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    return confinePlace(descriptorPlace(`/proc/self/fd/${descriptor}/.`), { root, names: [] })
  } finally {
    closeSync(descriptor)
  }
}

interface RootedPath {
  readonly root: string
  readonly names: readonly string[]
}

function confinePlace(place: Place, way: RootedPath): RootedPlace {
  const { root, names } = way
  const checked = (written: string | Buffer): string => {
    const name = typeof written === 'string' ? written : nameFromBytes(written)
    if (name.includes('/')) throw new RefusedFile('a name cannot contain a slash')
    if (names.length === 0 && VOLATILE.has(name)) throw new NotRunning(`/${name}`)
    return name
  }
  const entryName = (written: string | Buffer): string | Buffer => {
    const name = checked(written)
    if (name === '' || name === '.' || name === '..') throw new RefusedFile('not an entry name')
    return written
  }
  return {
    ...place,
    isConfined: true,
    path: `/${names.join('/')}`,
    entry: (written) => place.entry(entryName(written)),
    lstat: (written) => place.lstat(entryName(written)),
    child(written) {
      const name = checked(written)
      if (name === '..') return reach(root, names.slice(0, -1))
      return confinePlace(place.child(written), { root, names: [...names, name] })
    },
  }
}

/** Repeats a known path; a link on it now means a concurrent change. */
function reach(root: string, names: readonly string[]): RootedPlace {
  let place = openRootPlace(root)
  for (const name of names) {
    const next = place.child(name)
    place.close()
    place = next
    if (!place.stats.isSymbolicLink()) continue
    place.close()
    throw Object.assign(new Error('a directory became a link'), { code: 'ELOOP', errno: -40 })
  }
  return place
}
