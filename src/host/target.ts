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

/** The result of lstat or stat. `mode` has the twelve permission bits; times are in milliseconds since 1970. */
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
  /** Number of hard links. */
  readonly linkCount: number
}

/** An entry below a directory; its path is relative to that directory, with slashes. */
export interface TreeEntry {
  readonly path: string
  readonly kind: FileKind
}

/** Content of a file for display, or that it must be withheld. */
export type Exhibit =
  | {
      readonly kind: 'shown'
      readonly bytes: Uint8Array
      /** What prevents others from reading the file, if anything: its own mode, or that of a directory on the path. */
      readonly privateBy?: 'file' | 'directory'
    }
  /** A user other than root and the running one controls the path. */
  | { readonly kind: 'withheld'; readonly changeableBy: string }

/** The operating system of a target, from os-release if it exists. */
export interface TargetSystem {
  /** Node's platform name: linux, darwin, … */
  readonly platform: string
  readonly hostname: string
  readonly os: { readonly id: string; readonly version: string }
  /** A stable identity of this machine, such as its machine id. */
  readonly identity?: string
  /** Id of the current boot; undefined if the target is not running or does not have one. */
  readonly boot?: string
}

/** Reads files and directories. Small local reads are synchronous, large ones return a promise. */
export interface TargetFiles {
  /** The text of a small file, links followed; `null` if proven absent, unknown if larger than 16 MiB. */
  readonly readText: (path: string) => Reading<string | null>
  /** The names in a directory, sorted by character code; `null` if proven absent. */
  readonly list: (path: string) => Reading<readonly string[] | null>
  /** lstat(2): symbolic links are not followed. */
  readonly lstat: (path: string) => Observation<FileStat>
  /** stat(2): symbolic links are followed. A dangling link is absent; circular links are unknown. */
  readonly stat: (path: string) => Observation<FileStat>
  /**
   * sha256 and size of a regular file described by `stat`. Opens no other file type; a file that changes while it is
   * read is read again, and finally unknown. Aborting the signal stops reading a large file.
   */
  readonly digest: (
    path: string,
    stat: FileStat,
    signal?: AbortSignal,
  ) => Reading<ContentDigest> | Promise<Reading<ContentDigest>>
  /** The first bytes of a regular file, at most `maxBytes`. */
  readonly readHead: (path: string, maxBytes: number) => Reading<Uint8Array>
  /**
   * The first bytes of a regular file for a report, at most `maxBytes`; withheld if a user who may not read the file
   * can change its path.
   */
  readonly readExhibit: (path: string, maxBytes: number) => Reading<Exhibit>
  /** Whether a directory has no entries. Reads at most one. */
  readonly isDirectoryEmpty: (path: string) => Reading<boolean>
  /**
   * Everything below a directory: parents before children, names sorted by bytes. The path itself may be a link; links
   * below it are not followed.
   */
  readonly listTree: (path: string) => Reading<readonly TreeEntry[]>
  /**
   * Mount points at a directory or below it, including bind mounts, as paths relative to the directory; the empty path
   * is the directory itself.
   */
  readonly mountsWithin: (path: string) => Reading<readonly string[]>
  /** The target of a symbolic link, as written. */
  readonly linkTarget: (path: string) => Reading<string>
  /** The path with all links resolved; `null` if it is proven not to exist. */
  readonly realPath: (path: string) => Reading<string | null>
  /**
   * Whether a file system on these paths hangs; await it before accessing them, since the other methods would block.
   * Undefined if none of them can hang.
   */
  readonly findHanging?: (
    paths: () => readonly string[],
    signal: AbortSignal,
  ) => Promise<Unknown | undefined> | undefined
}

/** A machine of which a function needs these file operations. */
export interface HasFiles<Operation extends keyof TargetFiles> {
  readonly files: Pick<TargetFiles, Operation>
}

/** Looks up names and ids of users and groups. */
export interface AccountLookup {
  /** The id of a user; `null` if the user database proves that there is no such user. */
  readonly userId: (name: string) => Reading<number | null> | Promise<Reading<number | null>>
  /** The id of a group; `null` if the group database proves that there is no such group. */
  readonly groupId: (name: string) => Reading<number | null> | Promise<Reading<number | null>>
  /** The name of a user id; `null` if the user database proves that it has no name. */
  readonly findUserName: (uid: number) => Reading<string | null> | Promise<Reading<string | null>>
  /** The name of a group id; `null` if the group database proves that it has no name. */
  readonly findGroupName: (gid: number) => Reading<string | null> | Promise<Reading<string | null>>
  /** The display name of a user, from local files only; undefined if missing. */
  readonly userName: (uid: number) => string | undefined
  /** The display name of a group, from local files only; undefined if missing. */
  readonly groupName: (gid: number) => string | undefined
}

/** Reads the files of the machine that has the policies. */
export type PolicyFiles = Pick<
  TargetFiles,
  'stat' | 'lstat' | 'digest' | 'readHead' | 'readExhibit' | 'listTree' | 'realPath'
>

/**
 * The scanned machine, read-only. No method throws because of the state of the machine: a failure is an `unknown` with
 * its reason.
 */
export interface Target {
  /**
   * `root` and `image`: the files of an offline system. Nothing in it is started, and the machine that runs the scan is
   * not queried.
   */
  readonly kind: 'local' | 'root' | 'image'
  /** The root directory, or the path of the image; undefined for the machine itself. */
  readonly path?: string
  /** The identity of the image. */
  readonly image?: ImageIdentity
  /** Verdict for checks that need a running system; an error if undefined. */
  readonly offlineAs?: 'not-applicable'
  /** Reads files beside the policies, if they are on another machine. */
  readonly policyFiles?: PolicyFiles
  readonly system: TargetSystem
  readonly files: TargetFiles
  readonly names: AccountLookup
  /** Reads facts: `readText`, `list`, and results of system calls. */
  readonly probe: SystemProbe
  /** Reads permissions of files beyond their mode. */
  readonly access: AccessReader
  /** Reads directory trees of any size. */
  readonly trees: FileTrees
  /** Returns the reader of a subject, opened on first use and cached, so that all resources share bulk reads. */
  readonly open: <Reader extends object>(subject: ReadableSubject<Reader>) => Reader
  /** Drops cached bulk reads; call it after every change. With `touched`, only attributes of these paths changed. */
  forget(touched?: readonly string[]): void
  /**
   * Runs a read-only command, such as a guard, a check or a package query, and waits for its end. Nothing prevents it
   * from writing: commands that change the machine belong to a fix.
   */
  run(command: Command): Promise<CommandOutcome>
}

/** A reading or a promise of it. */
export type Readable<Value> = Reading<Value> | Promise<Reading<Value>>

/** Intercepts each answer of a test host; `name` is that of the question. */
export interface Answers {
  readonly observe: <State>(name: string, ask: () => Observation<State>) => Observation<State>
  /** `nothing` is the answer of an empty host. */
  readonly read: <Value>(name: string, ask: () => Readable<Value>, nothing: Value) => Readable<Value>
  /** A question with a synchronous answer. */
  readonly now: <Value>(name: string, ask: () => Reading<Value>, nothing: Value) => Reading<Value>
}

/** An offline system: its files as they are at boot (/run is empty), and as stored. */
export interface HostAtRest extends Target {
  readonly startFiles: MachineFiles
  readonly bulkFiles: MachineFiles
}

/** The readers of a subject, opened once per target on first use. A reader may cache bulk reads until `forget`. */
export interface ReadableSubject<Reader extends object> {
  /** Its name in drifts, journals and messages. */
  readonly name: string
  /** Distinguishes different shapes of the state under one name. */
  readonly version?: string
  readonly read: {
    readonly live: (host: Target) => Reader
    /** Reads files only: nothing is started, and the machine that driftgate runs on is not queried. */
    readonly atRest: (host: HostAtRest) => Reader
    /** The reader for a test host; if undefined, `live` is used, since it only reads files of the host. */
    readonly answering?: (reader: Reader, answers: Answers) => Reader
  }
}
