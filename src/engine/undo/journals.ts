import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { provesAbsence } from '../../host/live/system-error.ts'
import { bytesBelow, journalsIn, SIZE_FILE } from './journal.ts'
import type { KeepUndo } from './keep-undo.ts'
import { readHead, readIfThere, readJournal, type WrittenJournal } from './read-journal.ts'

/** A journal that can be used, with how much it takes of the disk. */
export interface StoredJournal extends WrittenJournal {
  readonly bytes: number
}

/** What is in the directory of journals. */
export interface Journals {
  /** The newest first. */
  readonly journals: readonly StoredJournal[]
  /** What is wrong with the others, as sentences. */
  readonly problems: readonly string[]
}

/** Reads the journals of all these state directories. Throws the system's error. */
export function readAllJournals(stateDirectories: readonly string[]): Journals {
  const read = stateDirectories.map((directory) => readJournals(journalsIn(directory)))
  return {
    journals: newestFirst(read.flatMap(({ journals }) => journals)),
    problems: read.flatMap(({ problems }) => problems),
  }
}

/** The clock may have been set back since, so it decides only between fixes of different root directories at the same time. */
function newestFirst<Journal extends Pick<WrittenJournal, 'head'>>(journals: readonly Journal[]): readonly Journal[] {
  return journals.toSorted(
    ({ head: left }, { head: right }) => right.sequence - left.sequence || (left.startedAt < right.startedAt ? 1 : -1),
  )
}

/** Reads all journals of a directory; none where there is no such directory. Throws the system's error. */
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
      // A fix that was ended before its first line.
      if (!provesAbsence(error)) throw error
      problems.push(`${path} has no journal`)
    }
  }
  return { journals: newestFirst(journals), problems }
}

/**
 * Removes the journals that are not to be kept, but none of these runs; `now` is in milliseconds. Of each only the first line and the
 * size it had at its end are read. Throws the system's error.
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
    // A fix is at least as old as those after it, even if the clock said otherwise.
    latestStart = Math.min(latestStart, Date.parse(head.startedAt))
    const isOld = now - latestStart > keep.milliseconds
    if (except.has(head.run) || (index < keep.count && !isOld && total <= keep.bytes)) continue
    rmSync(path, { recursive: true, force: true })
  }
}

/** What is pruned. */
export interface Pruning {
  readonly keep: KeepUndo
  readonly except: ReadonlySet<string>
  readonly now: number
}

/** What a journal takes of the disk, as it was noted at its end; of one without an end it is counted. */
function sizeOf(directory: string): number {
  const noted = readIfThere(join(directory, SIZE_FILE))
  return noted === undefined ? bytesBelow(directory) : Number(noted)
}

/** The names in a directory; none where it is not there. Throws the system's error. */
export function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    if (provesAbsence(error)) return []
    throw error
  }
}
