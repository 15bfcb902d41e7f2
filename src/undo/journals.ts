import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { provesAbsence } from '../target/local/system-error.ts'
import { journalsIn } from './journal.ts'
import type { KeepUndo } from './keep-undo.ts'
import { readJournal, type WrittenJournal } from './read-journal.ts'

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

function newestFirst(journals: readonly StoredJournal[]): readonly StoredJournal[] {
  return journals.toSorted((left, right) => (left.head.startedAt < right.head.startedAt ? 1 : -1))
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
      else journals.push({ ...journal, bytes: bytesBelow(path) })
    } catch (error) {
      // A fix that was ended before its first line.
      if (!provesAbsence(error)) throw error
      problems.push(`${path} has no journal`)
    }
  }
  return { journals: newestFirst(journals), problems }
}

/** The journal of a run: the newest, or the one whose id begins so. What is wrong otherwise, as a sentence. */
export function findJournal(journals: readonly StoredJournal[], run: string | undefined): StoredJournal | string {
  const found = run === undefined ? journals.slice(0, 1) : journals.filter(({ head }) => head.run.startsWith(run))
  const [first, second] = found
  if (second !== undefined)
    return `"${run}" could be ${found.map(({ head }) => head.run).join(', ')}; write more of the id`
  if (first !== undefined) return first
  return run === undefined
    ? 'no fix is kept that could be taken back'
    : `no fix that is kept is called "${run}"; driftgate fixes lists them`
}

/** Whether a run has changed anything that was kept. */
export function isKept(directory: string, run: string): boolean {
  return lstatSync(join(directory, run), { throwIfNoEntry: false }) !== undefined
}

/** Removes the journals that are not to be kept; `now` is in milliseconds. Throws the system's error. */
export function pruneJournals(directory: string, { count, milliseconds, bytes }: KeepUndo, now: number): void {
  let total = 0
  for (const [index, journal] of readJournals(directory).journals.entries()) {
    total += journal.bytes
    const isOld = now - Date.parse(journal.head.startedAt) > milliseconds
    if (index < count && !isOld && total <= bytes) continue
    rmSync(journal.directory, { recursive: true, force: true })
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    if (provesAbsence(error)) return []
    throw error
  }
}

function bytesBelow(directory: string): number {
  const entries = readdirSync(directory, { withFileTypes: true, recursive: true })
  return entries.reduce((sum, { parentPath, name }) => sum + lstatSync(join(parentPath, name)).blocks * 512, 0)
}
