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

/** Owner, group and permission bits that a fix sets. */
export interface FileAttributes {
  readonly uid: number
  readonly gid: number
  readonly mode: number
  /** For a directory: clears special bits that the mode does not have, even if the mode has no special bits. */
  readonly exact?: boolean
  /** For a directory: mode of missing parents; 0755 if undefined. */
  readonly parentsMode?: number
}

/** Changes of permissions beyond the mode: null removes, undefined keeps. */
export interface AccessChange {
  readonly acl?: Acl | null
  /** For a directory. */
  readonly defaultAcl?: Acl | null
  readonly capabilities?: Capabilities | null
  /** The immutable flag; set after everything else. */
  readonly immutable?: boolean
}

/** The owner and group that a fix sets; undefined keeps the old one. */
export interface Ownership {
  readonly uid?: number | undefined
  readonly gid?: number | undefined
}

/** Options of a change of owner. */
export interface OwnershipOptions {
  /** Includes everything below a directory. */
  readonly recursive?: boolean
  /** Stops the traversal; earlier changes are kept. */
  readonly signal?: AbortSignal
}

/** Attributes of a new file as a program would create it: the ids of the running user, and this mode minus the umask. */
export interface DefaultAttributes {
  readonly defaultMode: number
}

/** Options of a write. */
export interface WriteOptions {
  /** Overwrites the file in place, so that inode and hard links stay and a mount point can be written. Not atomic. */
  readonly inPlace?: boolean
}

/** The content of a file: bytes, or a streamed copy of another file. */
export type FileContent =
  { readonly kind: 'bytes'; readonly bytes: Uint8Array } | { readonly kind: 'copy'; readonly source: string }

/** A file to download. Checksums are sha256 in hex. */
export interface DownloadRequest {
  /** http or https; its credentials are used if no others are set. */
  readonly url: string
  readonly path: string
  readonly attributes: FileAttributes
  readonly headers: Readonly<Record<string, string>>
  /** For basic authentication, if both are set and there is no `Authorization` header. */
  readonly username?: string
  readonly password?: string
  readonly sha256?: string
  readonly maxBytes: number
  /** Timeout of the whole download. */
  readonly timeoutMs: number
  /** Maximum number of attempts, including the first. */
  readonly tries: number
  readonly signal: AbortSignal
}

/** An archive to unpack. */
export interface ExtractRequest {
  readonly archive: string
  readonly format: ArchiveFormat
  /** The destination; created with its parents if missing. */
  readonly directory: string
  /** Expected sha256 of the archive, in hex. */
  readonly sha256?: string
  /** Maximum unpacked size. */
  readonly maxBytes: number
  readonly signal: AbortSignal
  /**
   * Performs `move`, which moves the files into place, and receives the paths that are new or replaced, with everything
   * below them. Without it, the move is performed directly.
   */
  readonly placing?: (paths: readonly string[], move: () => ApplyOutcome) => Promise<ApplyOutcome>
}

/** Callbacks of a writer. */
export interface WriterOptions {
  /** Called once for each package change that has to wait, with a sentence that names the other program. */
  readonly onWait?: (message: string) => void
}

/**
 * All changes a fix can make to the machine. Only `apply` receives one, so an audit cannot write by construction.
 * Failures are values. Every write is on disk when the call returns, and atomic unless in place is requested. The last
 * component of a path is never followed as a link; links above it are followed only if root or the running user alone
 * can change them.
 */
export interface Remediator {
  /**
   * Why no program runs on the target, if so: it is not running, so no process needs to reload changed files. Undefined
   * for a running machine.
   */
  readonly runsNothing?: string
  /** Returns the writer of a subject, opened on first use. */
  readonly open: <Writer extends object>(subject: WritableSubject<Writer>) => Writer
  /** Creates or replaces a file: temporary file beside it, mode, content, owner, flush, rename, flush of the directory. */
  writeFile(
    path: string,
    content: FileContent,
    attributes: FileAttributes | DefaultAttributes,
    options?: WriteOptions,
  ): Promise<ApplyOutcome>
  /**
   * Edits a text file: `edit` gets the current text, empty if there is no file, and returns the new one; the same text
   * or undefined changes nothing. Links that root or the running user alone can change are followed. Owner, group and
   * mode are kept; a new file gets those of a file that a program creates, at most 0644. If another program changes the
   * file meanwhile, it is left unchanged. Fails for content that is not UTF-8 or larger than 4 MiB.
   */
  editText(path: string, edit: (text: string) => string | undefined): Promise<ApplyOutcome>
  /** Sets owner, group and mode of an existing file without changing its content; refuses a symbolic link. */
  setAttributes(path: string, attributes: FileAttributes): Promise<ApplyOutcome>
  /** Sets ACLs, capabilities and the immutable flag of an existing file or directory; refuses a symbolic link. */
  setAccess(path: string, change: AccessChange): Promise<ApplyOutcome>
  /**
   * Sets the attributes that `settle` computes from the current ones; undefined changes nothing. Of a symbolic link
   * only owner and group are set.
   */
  adjustAttributes(
    path: string,
    settle: (attributes: EntryAttributes) => FileAttributes | undefined,
  ): Promise<ApplyOutcome>
  /**
   * Sets owner and group of a path; a symbolic link is changed itself, never its target. With `recursive`, everything
   * below a directory follows as with `chown -R`: links are not followed, mounted file systems are included, and the
   * first failure ends it. As with chown(1), a change of owner clears the set-user-id and set-group-id bits of
   * programs. Of a tree, only the path itself is flushed to disk.
   */
  setOwner(path: string, ownership: Ownership, options?: OwnershipOptions): Promise<ApplyOutcome>
  /**
   * Creates a directory with its parents, or sets the attributes of an existing one; its set-id and sticky bits are
   * kept unless the mode has such bits. A symbolic link at the path is replaced. With default attributes, only missing
   * directories are created: an existing one is unchanged, and a link at the path is treated like one above it.
   */
  createDirectory(path: string, attributes: FileAttributes | DefaultAttributes): Promise<ApplyOutcome>
  /**
   * Removes a file, link or empty directory, or with `recursive` a whole tree without following links. A missing path
   * is a success.
   */
  remove(path: string, options: { readonly recursive: boolean }): Promise<ApplyOutcome>
  /** Downloads a file: received in a temporary file with its owner set, verified against its checksum, renamed into place. */
  download(request: DownloadRequest): Promise<ApplyOutcome>
  /**
   * Unpacks an archive: everything is verified and written to a staging directory, then moved into place. Other
   * existing files are kept, files of the same name are replaced, and a failure leaves the directory as it was.
   */
  extract(request: ExtractRequest): Promise<ApplyOutcome>
  /** Removes a directory if it is empty. Otherwise, or if it does not exist, nothing changes. */
  removeEmptyDirectory(path: string): Promise<ApplyOutcome>
  /** Runs a command that may change the machine, and waits for its end. */
  run(command: Command): Promise<CommandOutcome>
}

/** The writers of a subject, opened once per fix on first use. */
export interface WritableSubject<Writer extends object> {
  readonly name: string
  readonly write: {
    readonly live: (journal: Journal, options: WriterOptions) => Writer
    /** For a root directory, where no program runs. */
    readonly atRest: (site: Site, files: MachineFiles) => Writer
    /** Wraps the writer to record what an undo needs before each change. */
    readonly keeping: (writer: Writer, keeper: Keeper) => Writer
  }
}
