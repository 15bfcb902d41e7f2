import { lstatSync, readlinkSync, type Stats, statSync } from 'node:fs'
import { nameFromBytes, systemPath } from './file-name.ts'
import { type DirectoryEntry, listEntries, listNames } from './list-directory.ts'
import { readWhole } from './read-whole.ts'

/** What the system tells of a thing, as far as it is used. */
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

/** How the files of a machine are read that bulk readers need. Paths are that machine's own; all throw what the system does. */
export interface MachineFiles {
  /** Of the thing itself; undefined if absent. */
  lstat(path: string): SystemStats | undefined
  /** Of what the path leads to; undefined where it leads nowhere. */
  stat(path: string): SystemStats | undefined
  names(path: string): readonly string[]
  entries(path: string): readonly DirectoryEntry[]
  /** The bytes of a regular file that is no larger. */
  whole(path: string, maxBytes: number): Buffer
  /** What a link names, as it is written. */
  link(path: string): string
}

/** Those of this machine, each path with `root` before it; links lead where they do on this machine. */
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
