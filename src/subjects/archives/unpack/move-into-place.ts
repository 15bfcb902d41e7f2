import { linkSync, readdirSync, renameSync } from 'node:fs'
import { flush } from '../../../host/live/flush.ts'
import { findChild, type Place } from '../../../host/live/place.ts'
import { errorCode } from '../../../host/live/system-error.ts'
import { ArchiveError } from '../../../host/archive/archive-error.ts'
import { withChild } from './descend.ts'

/** Source and destination of entries, and an empty directory for the replaced files. */
export interface Move {
  readonly staged: Place
  readonly destination: Place
  readonly kept: Place
}

/** Directories that already existed in the destination, by path. */
export type MergedDirectories = ReadonlySet<string>

/**
 * Moves all entries of a directory into another on the same file system. Directories of the same name are merged and keep their
 * attributes; each file is replaced atomically. Restores the previous files on failure. Throws an `ArchiveError`, before any
 * move, if there is a conflict.
 */
export function moveIntoPlace(move: Move): MergedDirectories {
  refuseConflicts(move.staged, move.destination, [])
  const undo: (() => void)[] = []
  const merged = new Set<string>()
  try {
    merge(move.staged, move.destination, { move, undo, merged, path: [] })
    return merged
  } catch (error) {
    for (const step of undo.toReversed()) step()
    throw error
  }
}

/** Entries to move, relative to the destination: new entries including their contents, and replaced files. */
export function comingEntries(staged: Place, destination: Place): readonly string[] {
  return namesIn(staged).flatMap((name) => {
    const found: string[] = []
    withExisting(destination, name, (existing) => {
      withChild(staged, [name], (entry) => {
        const isMerged = existing?.stats.isDirectory() === true && entry.stats.isDirectory()
        const inside = isMerged ? comingEntries(entry, existing).map((each) => `${name}/${each}`) : [name]
        found.push(...inside)
      })
    })
    return found
  })
}

/** A move never deletes an existing directory or writes through an existing link. */
function refuseConflicts(staged: Place, destination: Place, path: readonly string[]): void {
  for (const name of namesIn(staged)) {
    const inside = [...path, name]
    withExisting(destination, name, (existing) => {
      if (existing === undefined) return
      withChild(staged, [name], (entry) => {
        refuseConflict(entry, existing, inside)
        if (entry.stats.isDirectory()) refuseConflicts(entry, existing, inside)
      })
    })
  }
}

function refuseConflict(entry: Place, { stats }: Place, path: readonly string[]): void {
  const shown = JSON.stringify(path.join('/'))
  if (entry.stats.isDirectory()) {
    if (stats.isDirectory()) return
    const found = stats.isSymbolicLink() ? 'a symbolic link' : 'not a directory'
    throw new ArchiveError(`${shown} is a directory in the archive but ${found} in the destination; remove it first`)
  }
  if (stats.isFile() || stats.isSymbolicLink()) return
  const found = stats.isDirectory() ? 'a directory' : 'not a regular file'
  throw new ArchiveError(`${shown} is a file in the archive but ${found} in the destination; remove it first`)
}

interface Merge {
  readonly move: Move
  readonly undo: (() => void)[]
  readonly merged: Set<string>
  readonly path: readonly string[]
}

function merge(staged: Place, destination: Place, state: Merge): void {
  for (const name of namesIn(staged)) {
    withExisting(destination, name, (existing) => {
      if (existing?.stats.isDirectory() === true) {
        const path = [...state.path, name]
        state.merged.add(path.join('/'))
        withChild(staged, [name], (entry) => merge(entry, existing, { ...state, path }))
      } else {
        moveEntry({ staged, destination, name, isThere: existing !== undefined }, state)
      }
    })
  }
  flush(destination)
}

interface Entry {
  readonly staged: Place
  readonly destination: Place
  readonly name: string
  readonly isThere: boolean
}

function moveEntry({ staged, destination, name, isThere }: Entry, { move, undo, path }: Merge): void {
  const away = String(undo.length)
  const isKept = isThere && keep(destination.entry(name), move.kept.entry(away))
  renameSync(staged.entry(name), destination.entry(name))
  const inDestination = (step: (holder: Place) => void): void => withChild(move.destination, path, step)
  if (isKept) undo.push(() => inDestination((holder) => renameSync(move.kept.entry(away), holder.entry(name))))
  else if (!isThere) undo.push(() => inDestination((holder) => renameSync(holder.entry(name), move.kept.entry(away))))
}

/** Hard-links an existing file, so that it can still be replaced atomically; false if not possible. */
export function keep(existing: string | Buffer, kept: string | Buffer): boolean {
  try {
    linkSync(existing, kept)
    return true
  } catch (error) {
    // Some file systems have no hard links, and the system may deny one to a file of another user. Atomic replacement then takes
    // precedence over the ability to restore.
    if (['EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(errorCode(error) ?? '')) return false
    throw error
  }
}

/** Sorted entries of a directory. */
export function namesIn(place: Place): readonly string[] {
  return readdirSync(place.handle, 'utf8').toSorted()
}

/** Calls `use` with the existing entry of a directory, if any. */
export function withExisting(holder: Place, name: string, use: (existing: Place | undefined) => void): void {
  const existing = findChild(holder, name)
  try {
    use(existing)
  } finally {
    existing?.close()
  }
}
