import { lstatSync, readlinkSync, type Stats, statSync } from 'node:fs'
import { nameFromBytes, systemPath } from './file-name.ts'
import { type DirectoryEntry, listEntries, listNames } from './list-directory.ts'
import { readWhole } from './read-whole.ts'

/** The members of `Stats` that are used. */
export type SystemStats = Pick<
  Stats,
  | 'mode'
  | 'uid'
  | 'gid'
  | 'size'
  | 'mtimeMs'
  | 'ctimeMs'
  | 'ino'
  | 'dev'
  | 'nlink'
  | 'isFile'
  | 'isDirectory'
  | 'isSymbolicLink'
  | 'isCharacterDevice'
  | 'isBlockDevice'
>

/** Reads the files of a machine for bulk readers. Paths are those of that machine; all methods throw the error of the system. */
export interface MachineFiles {
  /** Undefined if absent. */
  lstat(path: string): SystemStats | undefined
  /** Undefined if absent or a dangling link. */
  stat(path: string): SystemStats | undefined
  names(path: string): readonly string[]
  entries(path: string): readonly DirectoryEntry[]
  /** The content of a regular file of at most `maxBytes`. */
  whole(path: string, maxBytes: number): Buffer
  /** The target of a link, as written. */
  link(path: string): string
}

/** The files of this machine with the prefix `root`; links are resolved on this machine, not below the root. */
export function filesBelow(root: string): MachineFiles {
  return {
    lstat: (path) => lstatSync(systemPath(root + path), { throwIfNoEntry: false }),
    stat: (path) => statSync(systemPath(root + path), { throwIfNoEntry: false }),
    names: (path) => listNames(root + path),
    entries: (path) => listEntries(root + path),
    whole: (path, maxBytes) => readWhole(root + path, maxBytes),
    link: (path) => nameFromBytes(readlinkSync(systemPath(root + path), 'buffer')),
  }
}
