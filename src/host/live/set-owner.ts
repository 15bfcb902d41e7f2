import { chownSync, lchownSync, readdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { ApplyOutcome } from '../../model/decision.ts'
import type { Ownership, OwnershipOptions } from '../remediator.ts'
import { nameFromBytes } from './file-name.ts'
import { anyUserMayLink, NAMES_OUTSIDE } from './hard-links.ts'
import { flush } from './flush.ts'
import { openDirectory } from './open-directory.ts'
import type { Place } from './place.ts'
import type { OpenRoot } from './site.ts'
import { errorCode, writeFailure } from './system-error.ts'

// Each level holds a descriptor; equal to the maximum depth of reading trees.
const MAX_DEPTH = 256

// Number of entries changed before yielding to the event loop.
const ENTRIES_AT_ONCE = 1000

/**
 * Sets owner and group of a path, and with `recursive` of everything below it. A symbolic link is changed itself, never
 * followed. Entries with the right owner are skipped, entries that disappear meanwhile are ignored.
 */
export async function setOwner(
  path: string,
  ownership: Ownership,
  { recursive = false, signal, root }: OwnershipOptions & { readonly root: OpenRoot },
): Promise<ApplyOutcome> {
  const attempt = `cannot set the owner of ${path}`
  if (recursive && path === '/') return { kind: 'failed', message: `${attempt}: it is the root of the file system` }
  const parent = openDirectory(dirname(path), { root })
  if (parent.kind !== 'open') return { kind: 'failed', message: `${attempt}: ${parent.message}` }
  try {
    const place = path === '/' ? root() : parent.directory.child(basename(path))
    try {
      const entry = { holder: parent.directory, name: basename(path), place, path }
      change(entry, ownership)
      if (recursive && place.stats.isDirectory()) await changeBelow(entry, { ownership, signal, changed: 0 }, 1)
      if (place.stats.isFile() || place.stats.isDirectory()) flush(place)
      return { kind: 'done' }
    } finally {
      place.close()
    }
  } catch (error) {
    if (error instanceof RefusedError) return { kind: 'failed', message: `${attempt}: ${error.message}` }
    return writeFailure(error, attempt)
  } finally {
    parent.directory.close()
  }
}

interface Entry {
  readonly holder: Place
  readonly name: string | Buffer
  readonly place: Place
  /** For messages. */
  readonly path: string
}

interface Walk {
  readonly ownership: Ownership
  readonly signal: AbortSignal | undefined
  changed: number
}

async function changeBelow({ place, path }: Entry, walk: Walk, depth: number): Promise<void> {
  if (depth > MAX_DEPTH) throw new RefusedError(`${path} is deeper than ${MAX_DEPTH} directories`)
  for (const name of readdirSync(place.handle, { encoding: 'buffer' })) {
    if (++walk.changed % ENTRIES_AT_ONCE === 0) await setImmediate()
    if (walk.signal?.aborted === true) throw new RefusedError('interrupted')
    await changeEntry({ holder: place, name, path: `${path}/${nameFromBytes(name)}` }, walk, depth)
  }
}

async function changeEntry(found: Omit<Entry, 'place'>, walk: Walk, depth: number): Promise<void> {
  const place = ignoringAbsence(() => found.holder.child(found.name))
  if (place === undefined) return
  const entry = { ...found, place }
  try {
    ignoringAbsence(() => change(entry, walk.ownership))
    if (place.stats.isDirectory()) await changeBelow(entry, walk, depth + 1)
  } catch (error) {
    if (error instanceof RefusedError) throw error
    throw new RefusedError(writeFailure(error, found.path).message)
  } finally {
    place.close()
  }
}

function change({ holder, name, place, path }: Entry, ownership: Ownership): void {
  const { stats } = place
  const { uid = stats.uid, gid = stats.gid } = ownership
  if (stats.uid === uid && stats.gid === gid) return
  // Otherwise a user who may hard-link foreign files into the tree would become their owner.
  const hasOtherNames = !stats.isDirectory() && stats.nlink > 1
  if (hasOtherNames && holder.isConfined === true) throw new RefusedError(`${path}: ${NAMES_OUTSIDE}`)
  if (hasOtherNames && anyUserMayLink()) {
    throw new RefusedError(
      `${path} has other hard links and fs.protected_hardlinks is off, so it may belong to another user`,
    )
  }
  // A system call on the handle of a link would follow it; an entry of the open directory cannot be redirected.
  if (stats.isSymbolicLink()) lchownSync(holder.entry(name), uid, gid)
  else chownSync(place.handle, uid, gid)
}

/** Why the traversal stops, if no system call failed. */
class RefusedError extends Error {
  override readonly name = 'RefusedError'
}

function ignoringAbsence<Result>(call: () => Result): Result | undefined {
  try {
    return call()
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    return undefined
  }
}
