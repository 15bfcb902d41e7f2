import { readlinkSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { known, type Reading, unknown } from '../../model/observation.ts'
import type { TreeEntry } from '../target.ts'
import { nameFromBytes } from './file-name.ts'
import { answeringPath } from './hanging.ts'
import { type DirectoryEntry, listEntries } from './list-directory.ts'
import { provesAbsence, unreadable } from './system-error.ts'

// A tree is read in one go; beyond this it would hold up everything else.
const MAX_ENTRIES = 200_000

const MAX_DEPTH = 256

/**
 * Everything below a directory, each directory before its entries and names in the order of their bytes. No link below
 * it is followed. What disappears while it is read is left out; a directory that cannot be read makes the tree unknown.
 */
export function readTree(path: string, list: ListEntries = listEntries): Reading<readonly TreeEntry[]> {
  const entries: TreeEntry[] = []
  // A stack: what comes first in the order lies on top.
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

/** The path with every link resolved; `null` where it is proved to lead nowhere. */
export function readRealPath(path: string): Reading<string | null> {
  try {
    return known(nameFromBytes(realpathSync.native(answeringPath(path), 'buffer')))
  } catch (error) {
    return provesAbsence(error) ? known(null) : unreadable(error, path)
  }
}

/** What a symbolic link names, as it is written there. */
export function readLinkTarget(path: string): Reading<string> {
  try {
    return known(nameFromBytes(readlinkSync(answeringPath(path), 'buffer')))
  } catch (error) {
    return unreadable(error, path)
  }
}

/** The entries of a directory in the order of their bytes. Throws what the system does. */
type ListEntries = (directory: string) => readonly DirectoryEntry[]

interface Pending extends TreeEntry {
  readonly depth: number
}

interface Level {
  readonly directory: string
  readonly prefix: string
  readonly depth: number
}

/** Puts the entries of a directory on the stack, the first of them on top. */
function pushChildren(pending: Pending[], { directory, prefix, depth }: Level, list: ListEntries): void {
  for (const { name, kind } of list(directory).toReversed()) pending.push({ path: prefix + name, kind, depth })
}
