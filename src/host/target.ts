import type { AccessReader } from './access.ts'
import type { Observation, Reading, Unknown } from '../model/observation.ts'
import type { ContentDigest } from '../model/drift.ts'
import type { ImageIdentity } from '../model/run.ts'
import type { Command, CommandOutcome } from './command.ts'
import type { FileKind } from './file-kind.ts'
import type { FileTrees } from './file-trees.ts'
import type { SystemProbe } from './probe.ts'
import type { MachineFiles } from './live/machine-files.ts'

export type { FileKind } from './file-kind.ts'

/** What lstat or stat tell. `mode` holds the twelve permission bits; times are in milliseconds since 1970. */
export interface FileStat {
  readonly kind: FileKind
  readonly mode: number
  readonly uid: number
  readonly gid: number
  readonly sizeBytes: number
  readonly modifiedMs: number
  readonly changedMs: number
  readonly inode: number
  readonly device: number
  /** How many names it has. */
  readonly linkCount: number
}

/** One thing below a directory: its path relative to that directory, with slashes. */
export interface TreeEntry {
  readonly path: string
  readonly kind: FileKind
}

/** What was read of a file for showing it, or that it must not be shown. */
export type Exhibit =
  | {
      readonly kind: 'shown'
      readonly bytes: Uint8Array
      /** What forbids others to read the file, if anything does: its own mode, or else that of a directory on the way. */
      readonly privateBy?: 'file' | 'directory'
    }
  /** A user other than root and the running one controls what is at the path. */
  | { readonly kind: 'withheld'; readonly changeableBy: string }

/** The operating system of a target, from os-release where it exists. */
export interface TargetSystem {
  /** Node's platform name: linux, darwin, … */
  readonly platform: string
  readonly hostname: string
  readonly os: { readonly id: string; readonly version: string }
  /** Something that stays the same on this machine and differs on others, such as its machine id. */
  readonly identity?: string
  /** Which start of it this is; absent for what does not run, or does not tell. */
  readonly boot?: string
}

/** How the machine is read on which the policies lie. */
export type PolicyFiles = Pick<
  Target,
  'stat' | 'lstat' | 'digest' | 'readHead' | 'readExhibit' | 'listTree' | 'realPath'
>

/**
 * The machine that is scanned, read-only. No method throws for anything the machine can do: trouble is an `unknown`
 * with its reason. Small local reads answer at once, large ones with a promise.
 */
export interface Target {
  /**
   * `root` and `image`: the files of a system that does not run. Nothing is started for it, and nothing is asked of the machine
   * around.
   */
  readonly kind: 'local' | 'root' | 'image'
  /** The directory that is the root of it, or where the image lies; absent for the machine itself. */
  readonly path?: string
  /** Which image it is. */
  readonly image?: ImageIdentity
  /** What a resource becomes that only a running system could answer; an error where it is absent. */
  readonly offlineAs?: 'not-applicable'
  /** How files beside the policies are read, where that is another machine. */
  readonly policyFiles?: PolicyFiles
  readonly system: TargetSystem
  /** How facts are read: `readText`, `list`, and what only system calls tell. */
  readonly probe: SystemProbe
  /** Who may do what with files, as far as their mode does not say it. */
  readonly access: AccessReader
  /** What lies below directories, however much it is. */
  readonly trees: FileTrees
  /** How a subject is read on this target: opened on first use and kept, so that bulk reads are shared by all resources. */
  readonly open: <Reader extends object>(subject: ReadableSubject<Reader>) => Reader
  /** The text of a small file, links followed; `null` where it is proved absent, unknown for one larger than 16 MiB. */
  readonly readText: (path: string) => Reading<string | null>
  /** The names in a directory, sorted by their characters' codes; `null` where it is proved absent. */
  readonly list: (path: string) => Reading<readonly string[] | null>
  /** The thing at the path itself; a symbolic link is not followed. */
  lstat(path: string): Observation<FileStat>
  /** What the path leads to. A dangling link is absent; a loop of links is unknown. */
  stat(path: string): Observation<FileStat>
  /**
   * sha256 and size of a regular file that `stat` described. Never opens anything else, and a file that changes while
   * it is read is read again, in the end unknown. An aborted signal ends the reading of a large one.
   */
  digest(path: string, stat: FileStat, signal?: AbortSignal): Reading<ContentDigest> | Promise<Reading<ContentDigest>>
  /** The first bytes of a regular file, at most `maxBytes`. */
  readHead(path: string, maxBytes: number): Reading<Uint8Array>
  /**
   * The first bytes of a regular file for a report, at most `maxBytes`; nothing of it where its path can be changed by
   * a user who may not be allowed to read what it leads to.
   */
  readExhibit(path: string, maxBytes: number): Reading<Exhibit>
  /** Whether a directory has no entries. Reads at most one. */
  isDirectoryEmpty(path: string): Reading<boolean>
  /**
   * Everything below a directory, each directory before its entries and names in the order of their bytes. The path
   * itself may be a link; below it no link is followed.
   */
  listTree(path: string): Reading<readonly TreeEntry[]>
  /**
   * Where something is mounted at a directory or below it, also a directory or file that is mounted a second time: paths
   * relative to the directory, the empty one for itself.
   */
  mountsWithin(path: string): Reading<readonly string[]>
  /** What a symbolic link names, as it is written there. */
  linkTarget(path: string): Reading<string>
  /** The path with every link in it resolved; `null` where it is proved to lead nowhere. */
  realPath(path: string): Reading<string | null>
  /** The id of a named user; `null` where the user database proves that there is none. */
  userId(name: string): Reading<number | null> | Promise<Reading<number | null>>
  /** The same for a named group. */
  groupId(name: string): Reading<number | null> | Promise<Reading<number | null>>
  /** The name of a user id; `null` where the user database proves that it has none. */
  findUserName(uid: number): Reading<string | null> | Promise<Reading<string | null>>
  /** The same for a group id. */
  findGroupName(gid: number): Reading<string | null> | Promise<Reading<string | null>>
  /** The name of a user for showing, from the local files alone; undefined if missing. */
  userName(uid: number): string | undefined
  /** The same for a group. */
  groupName(gid: number): string | undefined
  /**
   * Whether a file system that these paths lead to does not answer, which must be asked before anything is looked at there:
   * the other methods would hang. Undefined where none of them could.
   */
  findHanging?(paths: () => readonly string[], signal: AbortSignal): Promise<Unknown | undefined> | undefined
  /**
   * Drops what was read in bulk and kept; to be called once something was changed. With `touched`, only attributes of these
   * paths were.
   */
  forget(touched?: readonly string[]): void
  /**
   * Runs a command that only looks, such as a guard, a check or a query of a package database, and waits for its end.
   * It can always write: what may change the machine belongs to a fix.
   */
  run(command: Command): Promise<CommandOutcome>
}

/** A reading, at once or later. */
export type Readable<Value> = Reading<Value> | Promise<Reading<Value>>

/** Passes each answer of a described host through; `name` is that of the question. */
export interface Answers {
  readonly observe: <State>(name: string, ask: () => Observation<State>) => Observation<State>
  /** `nothing` is the answer of a host that has nothing. */
  readonly read: <Value>(name: string, ask: () => Readable<Value>, nothing: Value) => Readable<Value>
  /** The same for a question that is answered at once. */
  readonly now: <Value>(name: string, ask: () => Reading<Value>, nothing: Value) => Reading<Value>
}

/** A system that does not run: its files, as a start finds them (nothing is below /run) and as they are. */
export interface HostAtRest extends Target {
  readonly startFiles: MachineFiles
  readonly bulkFiles: MachineFiles
}

/** How a subject is read, opened once for a target on first use. A reader may keep what it read in bulk until `forget`. */
export interface ReadableSubject<Reader extends object> {
  /** The name by which drifts, journals and messages know it. */
  readonly name: string
  /** Tells apart states of different forms under one name. */
  readonly version?: string
  readonly read: {
    readonly live: (host: Target) => Reader
    /** By files alone: nothing is started, and nothing is asked of the machine that driftgate runs on. */
    readonly atRest: (host: HostAtRest) => Reader
    /** The reader of a host that a test describes; absent where that is read as what runs, for it asks the host's files alone. */
    readonly answering?: (reader: Reader, answers: Answers) => Reader
  }
}
