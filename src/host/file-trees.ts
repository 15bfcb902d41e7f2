import type { PatternState } from '../model/path-patterns.ts'
import type { Observation, Unknown } from '../model/observation.ts'
import type { FileKind } from './file-kind.ts'

/** What lstat tells of an entry that many others have, too: `mode` holds the twelve permission bits. */
export interface EntryAttributes {
  readonly kind: FileKind
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

/**
 * What an entry is to the caller: of a kind that is not asked for, as it should be, or to be listed. The same for all
 * entries with the same attributes.
 */
export type EntryJudgement = 'other' | 'fine' | 'listed'

/** Which file systems a way through a tree enters: that of the directory alone, or all that this machine itself holds. */
export type FileSystems = 'own' | 'all_local'

/** What is asked of the directory and everything below it. */
export interface TreeQuery {
  /** An absolute path; it may be a link, below it none is followed. */
  readonly directory: string
  /** How many levels below the directory are looked at. */
  readonly depth: number
  readonly fileSystems: FileSystems
  /** Only what matches is asked for; everything, the directory itself included, where it is absent. */
  readonly include: PatternState | undefined
  /** What matches is left out, with everything below it. */
  readonly exclude: PatternState
  /** Asked once for all entries that have the same attributes. */
  readonly judge: (attributes: EntryAttributes) => EntryJudgement | Promise<EntryJudgement>
  readonly signal: AbortSignal
  /** After how many milliseconds it is given up. */
  readonly timeoutMs: number
}

/** An entry that was to be listed. */
export interface ListedEntry extends EntryAttributes {
  /** Relative to the directory; `.` is the directory itself. */
  readonly path: string
}

/** A directory that was not entered because of where it lies, by its path relative to the one that was asked for. */
export interface LeftOut {
  readonly path: string
  readonly why: string
}

/** What came of a way through a tree. */
export interface TreeFinding {
  /** In the order of their paths. */
  readonly entries: readonly ListedEntry[]
  /** How many entries were asked for, those that are listed included. */
  readonly count: number
  readonly leftOut: readonly LeftOut[]
  /** What could not be looked at: as long as there is any, the list may be incomplete. */
  readonly unread: readonly Unknown[]
}

/** What lies in the file systems, read in bulk: each directory at most once for all callers until something was changed. */
export interface FileTrees {
  /** Absent where nothing is at the path, unknown for what is no directory. */
  readonly find: (query: TreeQuery) => Promise<Observation<TreeFinding>>
}
