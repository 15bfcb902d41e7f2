import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { provesAbsence } from '../../host/live/system-error.ts'
import { bytesBelow, journalsIn, SIZE_FILE } from './journal.ts'
import type { KeepUndo } from './keep-undo.ts'
import { readHead, readIfThere, readJournal, type WrittenJournal } from './read-journal.ts'

/** A usable journal with its disk usage. */
export interface StoredJournal extends WrittenJournal {
  readonly bytes: number
}

export interface Journals {
  /** Newest first. */
  readonly journals: readonly StoredJournal[]
  /** Errors of the other journals, as sentences. */
  readonly problems: readonly string[]
}

/** Reads the journals of several state directories. Throws the system's error. */
export function readAllJournals(stateDirectories: readonly string[]): Journals {
  const read = stateDirectories.map((directory) => readJournals(journalsIn(directory)))
  return {
    journals: newestFirst(read.flatMap(({ journals }) => journals)),
    problems: read.flatMap(({ problems }) => problems),
  }
}

/**
 * Sorts by sequence: the clock may have been set back, so it only decides between fixes of different root directories.
 */
function newestFirst<Journal extends Pick<WrittenJournal, 'head'>>(journals: readonly Journal[]): readonly Journal[] {
  return journals.toSorted(
    ({ head: left }, { head: right }) => right.sequence - left.sequence || (left.startedAt < right.startedAt ? 1 : -1),
  )
}

/** Reads all journals of a directory; empty if it does not exist. Throws the system's error. */
function readJournals(directory: string): Journals {
  const journals: StoredJournal[] = []
  const problems: string[] = []
  for (const name of namesIn(directory)) {
    const path = join(directory, name)
    try {
      const journal = readJournal(path)
      if (typeof journal === 'string') problems.push(journal)
      else journals.push({ ...journal, bytes: sizeOf(path) })
    } catch (error) {
      // The fix was interrupted before its first line.
      if (!provesAbsence(error)) throw error
      problems.push(`${path} has no journal`)
    }
  }
  return { journals: newestFirst(journals), problems }
}

/**
 * Removes journals beyond the retention, except those of the given runs; `now` is in milliseconds. Reads only the first
 * line and the cached size of each. Throws the system's error.
 */
export function pruneJournals(directory: string, { keep, except, now }: Pruning): void {
  const found = namesIn(directory).flatMap((name) => {
    const path = join(directory, name)
    const head = readHead(path)
    return head === undefined ? [] : [{ path, head, bytes: sizeOf(path) }]
  })
  let total = 0
  let latestStart = now
  for (const [index, { path, head, bytes }] of newestFirst(found).entries()) {
    total += bytes
    // A fix is at least as old as later ones, even if the clock was wrong.
    latestStart = Math.min(latestStart, Date.parse(head.startedAt))
    const isOld = now - latestStart > keep.milliseconds
    if (except.has(head.run) || (index < keep.count && !isOld && total <= keep.bytes)) continue
    rmSync(path, { recursive: true, force: true })
  }
}

export interface Pruning {
  readonly keep: KeepUndo
  readonly except: ReadonlySet<string>
  readonly now: number
}

/** Cached disk usage; computed for an unfinished journal. */
function sizeOf(directory: string): number {
  const noted = readIfThere(join(directory, SIZE_FILE))
  return noted === undefined ? bytesBelow(directory) : Number(noted)
}

/** Names in a directory; empty if it does not exist. Throws the system's error. */
export function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    if (provesAbsence(error)) return []
    throw error
  }
}
