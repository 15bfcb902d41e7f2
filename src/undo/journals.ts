import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { provesAbsence } from '../target/local/system-error.ts'
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

function newestFirst<Journal extends Pick<WrittenJournal, 'head'>>(journals: readonly Journal[]): readonly Journal[] {
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
 * The journal of a run: the newest, or the one whose id begins so. Where the newest is a way back that was broken off, it is the fix
 * that it was to take back, so that this goes on. What is wrong otherwise, as a sentence.
 */
export function findJournal(journals: readonly StoredJournal[], run: string | undefined): StoredJournal | string {
  const found = run === undefined ? newestOf(journals) : journals.filter(({ head }) => head.run.startsWith(run))
  const [first, second] = found
  if (second !== undefined)
    return `"${run}" could be ${found.map(({ head }) => head.run).join(', ')}; write more of the id`
  if (first !== undefined) return first
  return run === undefined
    ? 'no fix is kept that could be taken back'
    : `no fix that is kept is called "${run}"; driftgate fixes lists them`
}

function newestOf(journals: readonly StoredJournal[]): readonly StoredJournal[] {
  const [newest] = journals
  if (newest === undefined) return []
  const { isWhole, head } = newest
  const goesOn = isWhole ? undefined : journals.find(({ head: { run } }) => run === head.undoes)
  return [goesOn ?? newest]
}

/** Whether a run has changed anything that was kept. */
export function isKept(directory: string, run: string): boolean {
  return lstatSync(join(directory, run), { throwIfNoEntry: false }) !== undefined
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
  for (const [index, { path, head, bytes }] of newestFirst(found).entries()) {
    total += bytes
    const isOld = now - Date.parse(head.startedAt) > keep.milliseconds
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

/** What a journal takes of the disk, as it was noted at its end; of one that has none it is counted. */
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
