import type { ApplyOutcome } from '../core/decision.ts'

/** Owner, group and permission bits that a fix gives to something. */
export interface FileAttributes {
  readonly uid: number
  readonly gid: number
  readonly mode: number
}

/** What a file is filled with: these bytes, or a copy of that file, streamed. */
export type FileContent =
  { readonly kind: 'bytes'; readonly bytes: Uint8Array } | { readonly kind: 'copy'; readonly source: string }

/**
 * Everything a fix may do to the machine. Only `apply` ever receives one, so an audit cannot write by construction.
 * Failures are values. Every write is atomic and on disk when the call returns; the leaf of a path is never followed
 * through a symbolic link, and a link above it only if root or the running user alone can change it.
 */
export interface Remediator {
  /** Creates or replaces a file: temporary file beside it, mode, content, owner, flush, rename, flush of the directory. */
  writeFile(path: string, content: FileContent, attributes: FileAttributes): Promise<ApplyOutcome>
  /** Sets owner, group and mode of an existing file without touching its content; refuses a symbolic link. */
  setAttributes(path: string, attributes: FileAttributes): Promise<ApplyOutcome>
  /**
   * Creates a directory with its parents, or sets the attributes of an existing one; set-group-id and sticky bits that
   * are there stay. A symbolic link at the path is replaced.
   */
  createDirectory(path: string, attributes: FileAttributes): Promise<ApplyOutcome>
  /** Removes a file, link or empty directory, or with `recursive` a whole tree without following links. Absence is fine. */
  remove(path: string, options: { readonly recursive: boolean }): Promise<ApplyOutcome>
}
