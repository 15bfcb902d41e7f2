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

// How deep a tree is descended into; each level holds a descriptor.
const MAX_DEPTH = 64

// How often a directory is listed again because something was put into it meanwhile.
const MAX_PASSES = 100

/**
 * Removes the item at the path; a directory only if it is empty, or with `recursive` with all it holds. Links are
 * removed and never followed, what disappears meanwhile is fine, and nothing is removed where something is mounted.
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

/** Removes a directory that has no entries; leaves one that has some. Anything but a directory is a failure. */
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
  /** Where the path begins; at the root of this machine where it is absent. */
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
  if (unlinked({ holder, name })) return
  const place = findChild(holder, name)
  if (place === undefined) return
  try {
    refuseMount(place, holder)
    if (depth >= MAX_DEPTH) {
      // The rest goes on from the top, which is listed until it is empty.
      ignoringAbsence(() => renameSync(holder.entry(name), top.entry(temporaryName('deep'))))
      return
    }
    await empty(place, { top, depth: depth + 1 })
    ignoringAbsence(() => removeIfEmpty({ holder, name }))
  } finally {
    place.close()
  }
}

/** Removes anything but a directory; false for a directory that is there. */
function unlinked({ holder, name }: Entry): boolean {
  try {
    unlinkSync(holder.entry(name))
    return true
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return true
    const place = findChild(holder, name)
    place?.close()
    // The obstacle has disappeared since.
    if (place === undefined) return true
    if (place.stats.isDirectory()) return false
    throw error
  }
}

/** What was filled again is found by the next pass over its parent. */
function removeIfEmpty({ holder, name }: Entry): void {
  try {
    rmdirSync(holder.entry(name))
  } catch (error) {
    if (!isNotEmpty(error)) throw error
  }
}

/** What is mounted has its own place elsewhere, and its mount point cannot be removed anyway. */
class MountedError extends Error {
  override readonly name = 'MountedError'
}

/** Anything mounted since the tree was looked at: a place that is held cannot become another one. */
function refuseMount(place: Place, holder: Place): void {
  if (place.mount() === holder.mount()) return
  throw new MountedError('something is mounted there or below; unmount it first')
}

/** Looked for before anything is removed, so that a refusal leaves the tree whole. */
function refuseMountsWithin(place: Place, path: string): void {
  const mounts = mountsWithin(place.handle)
  if (mounts.kind === 'unknown') throw new MountedError(`cannot tell what is mounted below: ${mounts.detail}`)
  const [first] = mounts.value
  if (first !== undefined) throw new MountedError(`something is mounted at ${join(path, first)}; unmount it first`)
}

function ignoringAbsence(call: () => void): void {
  try {
    call()
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
}

/** Solaris and some file systems say EEXIST. @see rmdir(2) */
function isNotEmpty(error: unknown): boolean {
  return errorCode(error) === 'ENOTEMPTY' || errorCode(error) === 'EEXIST'
}
