import type { ApplyOutcome } from '../model/decision.ts'
import type { Acl } from './acl.ts'
import type { ArchiveFormat } from './archive/archive-format.ts'
import type { Capabilities } from './capabilities.ts'
import type { Command, CommandOutcome } from './command.ts'
import type { EntryAttributes } from './file-trees.ts'
import type { Keeper } from './keeping.ts'
import type { Journal } from './live/journal.ts'
import type { MachineFiles } from './live/machine-files.ts'
import type { Site } from './live/site.ts'

/** Owner, group and permission bits that a fix gives to something. */
export interface FileAttributes {
  readonly uid: number
  readonly gid: number
  readonly mode: number
  /** Of a directory: special bits that the mode does not have are taken away although the mode has no special bits itself. */
  readonly exact?: boolean
  /** Of a directory: what those above it get that are missing; 0755 where it is absent. */
  readonly parentsMode?: number
}

/** What a fix changes of the access to something beside its mode: what is null is taken away, what is absent stays. */
export interface AccessChange {
  readonly acl?: Acl | null
  /** Of a directory. */
  readonly defaultAcl?: Acl | null
  readonly capabilities?: Capabilities | null
  /** Whether it becomes immutable; set after everything else. */
  readonly immutable?: boolean
}

/** The owner and group that a fix gives to something; what is absent stays as it is. */
export interface Ownership {
  readonly uid?: number | undefined
  readonly gid?: number | undefined
}

/** How far a change of owner goes. */
export interface OwnershipOptions {
  /** Everything below a directory, too. */
  readonly recursive?: boolean
  /** Stops the way through a tree; what was changed until then stays changed. */
  readonly signal?: AbortSignal
}

/** What something new gets as if a program had made it: the running user's ids, this mode less what the process masks. */
export interface DefaultAttributes {
  readonly defaultMode: number
}

/** How a file is written. */
export interface WriteOptions {
  /** Where it lies, so that its inode and its other names stay, and a mount point can be written. Not in one step. */
  readonly inPlace?: boolean
}

/** What a file is filled with: these bytes, or a copy of that file, streamed. */
export type FileContent =
  { readonly kind: 'bytes'; readonly bytes: Uint8Array } | { readonly kind: 'copy'; readonly source: string }

/** A file to download. Checksums are sha256 in hex. */
export interface DownloadRequest {
  /** http or https; credentials in it are used where no others are given. */
  readonly url: string
  readonly path: string
  readonly attributes: FileAttributes
  readonly headers: Readonly<Record<string, string>>
  /** Used for basic authentication where both are set and no header says otherwise. */
  readonly username?: string
  readonly password?: string
  readonly sha256?: string
  readonly maxBytes: number
  /** For the whole download. */
  readonly timeoutMs: number
  /** How often it is tried, the first time included. */
  readonly tries: number
  readonly signal: AbortSignal
}

/** An archive to unpack. */
export interface ExtractRequest {
  readonly archive: string
  readonly format: ArchiveFormat
  /** Where to; made with its parents where it is missing. */
  readonly directory: string
  /** What the archive must be, sha256 in hex. */
  readonly sha256?: string
  /** How large it may become. */
  readonly maxBytes: number
  readonly signal: AbortSignal
  /**
   * Carries out the move into place, told before it which paths come anew or are replaced, each with all below it.
   * Without it the move is simply made.
   */
  readonly placing?: (paths: readonly string[], move: () => ApplyOutcome) => Promise<ApplyOutcome>
}

/** What a writer may tell while it works. */
export interface WriterOptions {
  /** Told once for each change of packages that has to wait, with a sentence that names the other program. */
  readonly onWait?: (message: string) => void
}

/**
 * Everything a fix may do to the machine. Only `apply` ever receives one, so an audit cannot write by construction.
 * Failures are values. Every write is on disk when the call returns, and atomic unless it is asked for in place; the leaf of a path is never followed
 * through a symbolic link, and a link above it only if root or the running user alone can change it.
 */
export interface Remediator {
  /**
   * Why no program is run for what is changed, where that is so: it does not run, so nothing that uses a file has to be told of
   * it either. Absent for a running machine.
   */
  readonly runsNothing?: string
  /** How a subject is changed: opened on first use. */
  readonly open: <Writer extends object>(subject: WritableSubject<Writer>) => Writer
  /** Creates or replaces a file: temporary file beside it, mode, content, owner, flush, rename, flush of the directory. */
  writeFile(
    path: string,
    content: FileContent,
    attributes: FileAttributes | DefaultAttributes,
    options?: WriteOptions,
  ): Promise<ApplyOutcome>
  /**
   * Gives a text file the text that `edit` makes of the one it has now, empty where there is no file; the same text or undefined leaves it
   * alone. What a link leads to is edited, where root or the running user alone can change that link, and keeps owner, group and mode; a
   * new file has those of one that a program makes, 0644 at most. Where another program changes the file meanwhile it is left as it
   * is. Refuses what is no UTF-8 or has more than 4 MiB.
   */
  editText(path: string, edit: (text: string) => string | undefined): Promise<ApplyOutcome>
  /** Sets owner, group and mode of an existing file without touching its content; refuses a symbolic link. */
  setAttributes(path: string, attributes: FileAttributes): Promise<ApplyOutcome>
  /** Sets access control lists, capabilities and the immutable flag of an existing file or directory; refuses a symbolic link. */
  setAccess(path: string, change: AccessChange): Promise<ApplyOutcome>
  /**
   * Sets what `settle` says of the attributes that the item at the path has now; undefined leaves it as it is.
   * Of a symbolic link only its own owner and group are set.
   */
  adjustAttributes(
    path: string,
    settle: (attributes: EntryAttributes) => FileAttributes | undefined,
  ): Promise<ApplyOutcome>
  /**
   * Sets owner and group of the item at the path: of a symbolic link its own, never those of what it leads to. With
   * `recursive` everything below a directory follows, as chown(1) does it with `-R`: no link is followed, other file
   * systems mounted below are included, and it ends at the first failure. As with chown(1) a program loses its
   * set-user-id and set-group-id bits with a new owner. Of a tree only the path itself is sure to be on disk at the end.
   */
  setOwner(path: string, ownership: Ownership, options?: OwnershipOptions): Promise<ApplyOutcome>
  /**
   * Creates a directory with its parents, or sets the attributes of an existing one; set-id and sticky bits that are
   * there stay, unless the mode has such bits itself. A symbolic link at the path is replaced. With default attributes only what is missing is made: an
   * existing directory stays as it is, and a link at the path is treated like one above it.
   */
  createDirectory(path: string, attributes: FileAttributes | DefaultAttributes): Promise<ApplyOutcome>
  /** Removes a file, link or empty directory, or with `recursive` a whole tree without following links. Absence is fine. */
  remove(path: string, options: { readonly recursive: boolean }): Promise<ApplyOutcome>
  /** Downloads a file: received under a temporary name with its owner set, compared with its checksum, put into place. */
  download(request: DownloadRequest): Promise<ApplyOutcome>
  /**
   * Unpacks an archive: everything is checked and written to a staging directory first and then moved into place. What is
   * there stays, files of the same name are replaced, and a failure leaves the directory as it was.
   */
  extract(request: ExtractRequest): Promise<ApplyOutcome>
  /** Removes a directory that has no entries. One that has some, or is not there, is fine and stays as it is. */
  removeEmptyDirectory(path: string): Promise<ApplyOutcome>
  /** Runs a command that may change the machine and waits for its end. */
  run(command: Command): Promise<CommandOutcome>
}

/** How a subject is changed, opened once for a fix on first use. */
export interface WritableSubject<Writer extends object> {
  readonly name: string
  readonly write: {
    readonly live: (journal: Journal, options: WriterOptions) => Writer
    /** Below a root directory, where no program is run. */
    readonly atRest: (site: Site, files: MachineFiles) => Writer
    /** The same writer, which records before each change what an undo needs. */
    readonly keeping: (writer: Writer, keeper: Keeper) => Writer
  }
}
