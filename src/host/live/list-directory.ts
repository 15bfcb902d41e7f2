import { type Dirent, readdirSync } from 'node:fs'
import type { FileKind } from '../file-kind.ts'
import { nameFromBytes } from './file-name.ts'
import { answeringPath } from './hanging.ts'

/** An entry of a directory. Its name encodes bytes, see `nameFromBytes`. */
export interface DirectoryEntry {
  readonly name: string
  readonly kind: FileKind
}

/** The names in a directory, unsorted. Throws the error of the system call. */
export function listNames(path: string): readonly string[] {
  return readdirSync(answeringPath(path), 'buffer').map(nameFromBytes)
}

/** The entries of a directory, sorted by the bytes of their names. Throws the error of the system call. */
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
