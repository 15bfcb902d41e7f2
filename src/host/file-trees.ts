import type { PatternState } from '../model/path-patterns.ts'
import type { Observation, Unknown } from '../model/observation.ts'
import type { FileKind } from './file-kind.ts'

/** The attributes of an entry that are often shared; `mode` has the twelve permission bits. */
export interface EntryAttributes {
  readonly kind: FileKind
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

/** The judgement of an entry: not of a requested kind, compliant, or to be listed. Depends on its attributes only. */
export type EntryJudgement = 'other' | 'fine' | 'listed'

/** The file systems that a traversal enters: that of the directory, or all local ones. */
export type FileSystems = 'own' | 'all_local'

/** A query on a directory and everything below it. */
export interface TreeQuery {
  /** An absolute path; it may be a symbolic link, but links below it are not followed. */
  readonly directory: string
  /** Maximum depth below the directory. */
  readonly depth: number
  readonly fileSystems: FileSystems
  /** Only matching entries count; all, including the directory itself, if undefined. */
  readonly include: PatternState | undefined
  /** Matching entries are skipped, with everything below them. */
  readonly exclude: PatternState
  /** Called once for all entries with the same attributes. */
  readonly judge: (attributes: EntryAttributes) => EntryJudgement | Promise<EntryJudgement>
  readonly signal: AbortSignal
  /** Timeout in milliseconds. */
  readonly timeoutMs: number
}

/** An entry with the judgement `listed`. */
export interface ListedEntry extends EntryAttributes {
  /** Relative to the directory; `.` is the directory itself. */
  readonly path: string
}

/** A directory that was not entered because of its file system; the path is relative to the queried directory. */
export interface LeftOut {
  readonly path: string
  readonly why: string
}

/** The result of a tree query. */
export interface TreeFinding {
  /** Sorted by path. */
  readonly entries: readonly ListedEntry[]
  /** Number of entries of a requested kind, including listed ones. */
  readonly count: number
  readonly leftOut: readonly LeftOut[]
  /** Unreadable parts of the tree: unless empty, the list may be incomplete. */
  readonly unread: readonly Unknown[]
}

/** Reads trees in bulk: each directory at most once for all callers, until a change. */
export interface FileTrees {
  /** Absent if the path does not exist, unknown if it is not a directory. */
  readonly find: (query: TreeQuery) => Promise<Observation<TreeFinding>>
}
