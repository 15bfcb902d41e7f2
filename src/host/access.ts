import type { Reading } from '../model/observation.ts'
import type { Acl } from './acl.ts'
import type { Capabilities } from './capabilities.ts'

/** Who can do what with a thing beside what its mode says. What is undefined is proved not to be there. */
export interface BeyondMode {
  readonly acl: Acl | undefined
  /** What is made in a directory starts with this list. */
  readonly defaultAcl: Acl | undefined
  readonly capabilities: Capabilities | undefined
}

/** The flags of an inode that prevent changes, even by root. @see ioctl_iflags(2) */
export interface InodeFlags {
  readonly immutable: boolean
  readonly appendOnly: boolean
}

/** A directory on the way to a path, or a link in a sticky one, that a user other than root may be able to change. */
export interface WayStep {
  readonly path: string
  readonly kind: 'directory' | 'symlink'
  readonly uid: number
  readonly gid: number
  readonly mode: number
}

/** How the access to files is read as far as their mode does not say it. */
export interface AccessReader {
  /**
   * Of each of these paths in turn, links not followed. One process of the system is asked for all of them, so many paths at
   * once cost little more than one.
   */
  beyondMode(paths: readonly string[]): Promise<readonly Reading<BeyondMode>[]>
  /** The flags of each of these files and directories, links not followed; undefined where the file system does not support flags. */
  flags(paths: readonly string[]): Promise<readonly Reading<InodeFlags | undefined>[]>
  /**
   * What leads to the thing at a path, from the root on and through every link, as far as a user other than root owns it
   * or can write in it. In a sticky directory users can only move what is their own, so it only counts by its owner, and so
   * do links in it. With `followed`, a link at the path itself is a part of the way.
   */
  wayTo(path: string, how?: { readonly followed: boolean }): Reading<readonly WayStep[]>
  /** Drops what was kept. */
  forget(): void
}
