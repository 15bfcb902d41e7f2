import { closeSync, constants, fsyncSync, openSync } from 'node:fs'
import { openRoot, type Place } from './place.ts'
import { errorCode, writeFailure } from './system-error.ts'

// The kernel's own limit for one path. @see path_resolution(7)
const MAX_LINKS = 40

const OTHERS_WRITE = 0o022

/** A directory that was reached safely, or why it was not. `absent`: it is proved that there is no such directory. */
export type DirectoryResult =
  | { readonly kind: 'open'; readonly directory: Place }
  | { readonly kind: 'absent'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string }

/** How to open a directory. */
export interface OpenOptions {
  /** Where to start; `openRoot` unless a test says otherwise. */
  readonly root?: () => Place
  /** Makes a missing directory; without it, what is missing stays missing. */
  readonly create?: (directory: Place, name: string) => void
}

/**
 * Opens a directory for writing in it, component by component. A symbolic link on the way is followed only if the link
 * and the directory that holds it belong to root or the running user and nobody else can write there. A sticky
 * directory such as /tmp counts as writable by others, because anybody can put a link of their own there.
 */
export function openDirectory(path: string, { root = openRoot, create }: OpenOptions = {}): DirectoryResult {
  let place = root()
  let pending = components(path)
  let links = 0
  try {
    for (let name = pending.shift(); name !== undefined; name = pending.shift()) {
      const next = enter(place, name, create)
      if (next.stats.isDirectory()) {
        place.close()
        place = next
        continue
      }
      next.close()
      const trouble = ++links > MAX_LINKS ? tooManyLinks(path) : refuseLink(path, name, { link: next, holder: place })
      if (trouble !== undefined) {
        place.close()
        return trouble
      }
      const target = place.linkTarget(name)
      pending = [...components(target), ...pending]
      if (target.startsWith('/')) {
        place.close()
        place = root()
      }
    }
  } catch (error) {
    place.close()
    if (errorCode(error) === 'ENOENT')
      return { kind: 'absent', message: `"${path}" is not a directory: it does not exist` }
    return writeFailure(error, `cannot open directory ${path}`)
  }
  return { kind: 'open', directory: place }
}

/**
 * Writes a directory's entries, or the attributes of anything else, to the disk, so that they survive a power failure.
 */
export function flush(place: Place): void {
  let fd: number
  try {
    fd = openSync(place.handle, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    // One may change a thing without being allowed to read it; there is no other way to flush it then.
    if (errorCode(error) === 'EACCES') return
    throw error
  }
  try {
    fsyncSync(fd)
  } catch (error) {
    // Some file systems cannot flush directories and say so with EINVAL. @see fsync(2)
    if (errorCode(error) !== 'EINVAL') throw error
  } finally {
    closeSync(fd)
  }
}

function enter(directory: Place, name: string, create: OpenOptions['create']): Place {
  try {
    return directory.child(name)
  } catch (error) {
    if (create === undefined || errorCode(error) !== 'ENOENT') throw error
  }
  create(directory, name)
  return directory.child(name)
}

type Trouble = Exclude<DirectoryResult, { kind: 'open' }>

function refuseLink(path: string, name: string, { link, holder }: { link: Place; holder: Place }): Trouble | undefined {
  if (!link.stats.isSymbolicLink()) return { kind: 'absent', message: `"${path}" is not a directory` }
  const safe = isTrusted(link.stats.uid) && isTrusted(holder.stats.uid) && (holder.stats.mode & OTHERS_WRITE) === 0
  if (safe) return undefined
  const message = `"${path}" leads through the symbolic link "${name}", which other users could change; name the real path`
  return { kind: 'failed', message }
}

function tooManyLinks(path: string): Trouble {
  return { kind: 'failed', message: `"${path}" leads through too many symbolic links` }
}

function isTrusted(uid: number): boolean {
  return uid === 0 || uid === process.geteuid?.()
}

function components(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.')
}
