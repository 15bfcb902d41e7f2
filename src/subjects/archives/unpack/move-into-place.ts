import { linkSync, readdirSync, renameSync } from 'node:fs'
import { flush } from '../../../host/live/flush.ts'
import { findChild, type Place } from '../../../host/live/place.ts'
import { errorCode } from '../../../host/live/system-error.ts'
import { ArchiveError } from '../../../host/archive/archive-error.ts'
import { withChild } from './descend.ts'

/** Where entries come from, where they go, and an empty directory that keeps what they replace. */
export interface Move {
  readonly staged: Place
  readonly destination: Place
  readonly kept: Place
}

/** Directories that were in the destination before, each by its components joined with slashes. */
export type MergedDirectories = ReadonlySet<string>

/**
 * Moves all entries of a directory into another on the same file system, where directories of the same name are merged
 * and keep their attributes, and files are replaced one by one in one step each. If any of it fails, what was there is
 * put back. Throws an `ArchiveError`, before anything is moved, where something stands in the way.
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

/** What would be moved, relative to the destination: entries that come anew, with all below them, and files that are replaced. */
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

/** Nothing that is there is deleted, and no link that is there is written through. */
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
    const found = stats.isSymbolicLink() ? 'a symbolic link' : 'no directory'
    throw new ArchiveError(`${shown} is a directory in the archive and ${found} in the destination; remove it first`)
  }
  if (stats.isFile() || stats.isSymbolicLink()) return
  const found = stats.isDirectory() ? 'a directory' : 'no regular file'
  throw new ArchiveError(`${shown} is a file in the archive and ${found} in the destination; remove it first`)
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

/** Gives what is replaced a second name, so that it can still be replaced in one step; false where that is not possible. */
export function keep(existing: string | Buffer, kept: string | Buffer): boolean {
  try {
    linkSync(existing, kept)
    return true
  } catch (error) {
    // Some file systems have no second names, and the system may deny one for a file of another user. Then replacing
    // it in one step matters more than being able to put it back.
    if (['EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(errorCode(error) ?? '')) return false
    throw error
  }
}

/** What is in a directory, in an order of its own. */
export function namesIn(place: Place): readonly string[] {
  return readdirSync(place.handle, 'utf8').toSorted()
}

/** Hands over what is in a directory under a name, if anything is. */
export function withExisting(holder: Place, name: string, use: (existing: Place | undefined) => void): void {
  const existing = findChild(holder, name)
  try {
    use(existing)
  } finally {
    existing?.close()
  }
}
