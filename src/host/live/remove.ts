import { readdirSync, renameSync, rmdirSync, unlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { ApplyOutcome } from '../../model/decision.ts'
import { mountsWithin } from './mounts.ts'
import { flush } from './flush.ts'
import { openDirectory } from './open-directory.ts'
import { findChild, openRoot, type Place } from './place.ts'
import type { OpenRoot } from './site.ts'
import { errorCode, writeFailure } from './system-error.ts'
import { temporaryName } from './temporary-name.ts'

// Maximum depth of recursion; each level holds a descriptor.
const MAX_DEPTH = 64

// Maximum number of passes over a directory that is being filled meanwhile.
const MAX_PASSES = 100

/**
 * Removes a path; a directory only if it is empty, or with `recursive` with all its content. Links are never followed,
 * entries that disappear meanwhile are ignored, and a tree with mount points is refused.
 */
export async function remove(path: string, { recursive, root = openRoot }: RemoveOptions): Promise<ApplyOutcome> {
  if (path === '/') return { kind: 'failed', message: 'cannot remove /: it is the root of the file system' }
  const attempt = `cannot remove ${path}`
  const parent = openDirectory(dirname(path), { root })
  if (parent.kind === 'absent') return { kind: 'done' }
  if (parent.kind === 'failed') return { kind: 'failed', message: `${attempt}: ${parent.message}` }
  try {
    await removeEntry({ holder: parent.directory, name: basename(path) }, { recursive, path })
    flush(parent.directory)
    return { kind: 'done' }
  } catch (error) {
    if (error instanceof MountedError) return { kind: 'failed', message: `${attempt}: ${error.message}` }
    if (!isNotEmpty(error)) return writeFailure(error, attempt)
    const reason = recursive
      ? 'new entries kept appearing in it'
      : "directory is not empty, set 'force: true' to remove non-empty directories"
    return { kind: 'failed', message: `${attempt}: ${reason}` }
  } finally {
    parent.directory.close()
  }
}

/** Removes a directory if it is empty, otherwise leaves it. Fails for other file types. */
export async function removeEmptyDirectory(path: string, root: OpenRoot): Promise<ApplyOutcome> {
  const attempt = `cannot remove ${path}`
  const parent = openDirectory(dirname(path), { root })
  if (parent.kind === 'absent') return { kind: 'done' }
  if (parent.kind === 'failed') return { kind: 'failed', message: `${attempt}: ${parent.message}` }
  try {
    ignoringAbsence(() => removeIfEmpty({ holder: parent.directory, name: basename(path) }))
    flush(parent.directory)
    return { kind: 'done' }
  } catch (error) {
    return writeFailure(error, attempt)
  } finally {
    parent.directory.close()
  }
}

interface RemoveOptions {
  readonly recursive: boolean
  /** The root of the path; the root of this machine by default. */
  readonly root?: OpenRoot
}

interface Entry {
  readonly holder: Place
  readonly name: string | Buffer
}

interface Removal {
  readonly recursive: boolean
  readonly path: string
}

async function removeEntry({ holder, name }: Entry, { recursive, path }: Removal): Promise<void> {
  const place = findChild(holder, name)
  if (place === undefined) return
  try {
    if (!place.stats.isDirectory()) {
      ignoringAbsence(() => unlinkSync(holder.entry(name)))
      return
    }
    if (recursive) {
      refuseMount(place, holder)
      refuseMountsWithin(place, path)
      await empty(place, { top: place, depth: 0 })
    }
    ignoringAbsence(() => rmdirSync(holder.entry(name)))
  } finally {
    place.close()
  }
}

interface Descent {
  readonly top: Place
  readonly depth: number
}

async function empty(directory: Place, descent: Descent): Promise<void> {
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const names = readdirSync(directory.handle, { encoding: 'buffer' })
    if (names.length === 0) return
    for (const name of names) await removeWithin({ holder: directory, name }, descent)
    await setImmediate()
  }
}

async function removeWithin({ holder, name }: Entry, { top, depth }: Descent): Promise<void> {
  if (unlinkEntry({ holder, name })) return
  const place = findChild(holder, name)
  if (place === undefined) return
  try {
    refuseMount(place, holder)
    if (depth >= MAX_DEPTH) {
      // Moved to the top directory, which is listed until it is empty.
      ignoringAbsence(() => renameSync(holder.entry(name), top.entry(temporaryName('deep'))))
      return
    }
    await empty(place, { top, depth: depth + 1 })
    ignoringAbsence(() => removeIfEmpty({ holder, name }))
  } finally {
    place.close()
  }
}

/** Removes anything except a directory; false for a directory. */
function unlinkEntry({ holder, name }: Entry): boolean {
  try {
    unlinkSync(holder.entry(name))
    return true
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return true
    const place = findChild(holder, name)
    place?.close()
    // The obstacle has disappeared meanwhile.
    if (place === undefined) return true
    if (place.stats.isDirectory()) return false
    throw error
  }
}

/** The next pass over the parent finds a directory that was filled again. */
function removeIfEmpty({ holder, name }: Entry): void {
  try {
    rmdirSync(holder.entry(name))
  } catch (error) {
    if (!isNotEmpty(error)) throw error
  }
}

/** A mounted file system has its content elsewhere, and a mount point cannot be removed anyway. */
class MountedError extends Error {
  override readonly name = 'MountedError'
}

/** Refuses mounts that were added after the first check: an open place cannot change. */
function refuseMount(place: Place, holder: Place): void {
  if (place.mount() === holder.mount()) return
  throw new MountedError('a file system is mounted there or below; unmount it first')
}

/** Checked before anything is removed, so that a refusal leaves the tree intact. */
function refuseMountsWithin(place: Place, path: string): void {
  const mounts = mountsWithin(place.handle)
  if (mounts.kind === 'unknown') throw new MountedError(`the mounts below it are unknown: ${mounts.detail}`)
  const [first] = mounts.value
  if (first !== undefined) throw new MountedError(`a file system is mounted at ${join(path, first)}; unmount it first`)
}

function ignoringAbsence(call: () => void): void {
  try {
    call()
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
}

/** Solaris and some file systems return EEXIST. @see rmdir(2) */
function isNotEmpty(error: unknown): boolean {
  return errorCode(error) === 'ENOTEMPTY' || errorCode(error) === 'EEXIST'
}
