import { readlinkSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { known, type Reading, unknown } from '../../model/observation.ts'
import type { TreeEntry } from '../target.ts'
import { nameFromBytes } from './file-name.ts'
import { answeringPath } from './hanging.ts'
import { type DirectoryEntry, listEntries } from './list-directory.ts'
import { provesAbsence, unreadable } from './system-error.ts'

// Reading is synchronous, so a larger tree would block the process.
const MAX_ENTRIES = 200_000

const MAX_DEPTH = 256

/**
 * Everything below a directory: parents before children, names sorted by bytes. Links below it are not followed.
 * Entries that disappear meanwhile are left out; an unreadable directory makes the tree unknown.
 */
export function readTree(path: string, list: ListEntries = listEntries): Reading<readonly TreeEntry[]> {
  const entries: TreeEntry[] = []
  // A stack: the next entry is on top.
  const pending: Pending[] = []
  try {
    pushChildren(pending, { directory: path, prefix: '', depth: 1 }, list)
  } catch (error) {
    return unreadable(error, path)
  }
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (entries.length >= MAX_ENTRIES) return unknown('not-observable', `${path}: more than ${MAX_ENTRIES} entries`)
    if (next.depth > MAX_DEPTH) return unknown('not-observable', `${path}: deeper than ${MAX_DEPTH} directories`)
    entries.push({ path: next.path, kind: next.kind })
    if (next.kind !== 'directory') continue
    const directory = join(path, next.path)
    try {
      pushChildren(pending, { directory, prefix: `${next.path}/`, depth: next.depth + 1 }, list)
    } catch (error) {
      if (!provesAbsence(error)) return unreadable(error, directory)
    }
  }
  return known(entries)
}

/** The path with all links resolved; `null` if it is proven not to exist. */
export function readRealPath(path: string): Reading<string | null> {
  try {
    return known(nameFromBytes(realpathSync.native(answeringPath(path), 'buffer')))
  } catch (error) {
    return provesAbsence(error) ? known(null) : unreadable(error, path)
  }
}

/** The target of a symbolic link, as written. */
export function readLinkTarget(path: string): Reading<string> {
  try {
    return known(nameFromBytes(readlinkSync(answeringPath(path), 'buffer')))
  } catch (error) {
    return unreadable(error, path)
  }
}

/** The entries of a directory, sorted by bytes. Throws the error of the system. */
type ListEntries = (directory: string) => readonly DirectoryEntry[]

interface Pending extends TreeEntry {
  readonly depth: number
}

interface Level {
  readonly directory: string
  readonly prefix: string
  readonly depth: number
}

/** Pushes the entries of a directory, the first one last. */
function pushChildren(pending: Pending[], { directory, prefix, depth }: Level, list: ListEntries): void {
  for (const { name, kind } of list(directory).toReversed()) pending.push({ path: prefix + name, kind, depth })
}
