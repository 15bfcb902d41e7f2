import { type Dirent, readdirSync } from 'node:fs'
import type { FileKind } from '../file-kind.ts'
import { nameFromBytes } from './file-name.ts'
import { answeringPath } from './hanging.ts'

/** One entry of a directory. Its name stands for bytes, see `nameFromBytes`. */
export interface DirectoryEntry {
  readonly name: string
  readonly kind: FileKind
}

/** The names in a directory, in no order. Throws what the system call does. */
export function listNames(path: string): readonly string[] {
  return readdirSync(answeringPath(path), 'buffer').map(nameFromBytes)
}

/** The names in a directory in the order of their bytes, each with what it is. Throws what the system call does. */
export function listEntries(path: string): readonly DirectoryEntry[] {
  return readdirSync(answeringPath(path), { withFileTypes: true, encoding: 'buffer' })
    .toSorted((left, right) => Buffer.compare(left.name, right.name))
    .map((entry) => ({ name: nameFromBytes(entry.name), kind: kindOf(entry) }))
}

function kindOf(entry: Dirent<Buffer>): FileKind {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'directory'
  if (entry.isSymbolicLink()) return 'symlink'
  if (entry.isFIFO()) return 'fifo'
  if (entry.isSocket()) return 'socket'
  return entry.isBlockDevice() ? 'block-device' : 'character-device'
}
