import type { Reading } from '../model/observation.ts'
import type { Acl } from './acl.ts'
import type { Capabilities } from './capabilities.ts'

/** Permissions of a file beyond its mode. Undefined members are proven not to exist. */
export interface BeyondMode {
  readonly acl: Acl | undefined
  /** The list that new entries of a directory inherit. */
  readonly defaultAcl: Acl | undefined
  readonly capabilities: Capabilities | undefined
}

/** The flags of an inode that prevent changes, even by root. @see ioctl_iflags(2) */
export interface InodeFlags {
  readonly immutable: boolean
  readonly appendOnly: boolean
}

/** A directory on the path, or a symbolic link in a sticky directory, that a user other than root may be able to change. */
export interface WayStep {
  readonly path: string
  readonly kind: 'directory' | 'symlink'
  readonly uid: number
  readonly gid: number
  readonly mode: number
}

/** Reads the permissions of files beyond their mode. */
export interface AccessReader {
  /**
   * In the order of the paths; symbolic links are not followed. One helper process answers all of them, so many paths
   * at once cost little more than one.
   */
  beyondMode(paths: readonly string[]): Promise<readonly Reading<BeyondMode>[]>
  /** The flags of files and directories; symbolic links are not followed. Undefined if the file system does not support flags. */
  flags(paths: readonly string[]): Promise<readonly Reading<InodeFlags | undefined>[]>
  /**
   * The directories and links on the path, from the root and through every link, that a user other than root owns or
   * can write to. In a sticky directory users can move only their own entries, so only its owner counts, and the owners
   * of links in it. With `followed`, a link at the path itself is included.
   */
  wayTo(path: string, how?: { readonly followed: boolean }): Reading<readonly WayStep[]>
  forget(): void
}
