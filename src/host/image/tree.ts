import { constants } from 'node:fs'
import type { SystemStats } from '../live/machine-files.ts'
import { RefusedFile } from '../live/system-error.ts'
import type { HeldFile } from './held-file.ts'
import type { TarEntry } from './tar-reader.ts'

/** The content of a file: an open file and an offset. */
export interface Content {
  readonly file: HeldFile
  readonly at: number
}

/** A file of an image; hard links share the node. */
export interface ImageNode {
  /** File type and the twelve permission bits, as in stat(2). */
  mode: number
  uid: number
  gid: number
  sizeBytes: number
  modifiedMs: number
  attributes: ReadonlyMap<string, Buffer>
  /** The target of a symbolic link. */
  readonly link: string
  readonly content: Content | undefined
  /** The entries of a directory; undefined for other files. */
  readonly entries: Map<string, ImageNode> | undefined
  readonly inode: number
  names: number
  /** The last layer with an entry for it; -1 for a directory without an entry of its own. */
  layer: number
  /** The last layer with an entry for it or below it. */
  touched: number
  /** Whether runtimes disagree on its mode and owner: a layer adds entries to it, and only lower layers describe it. */
  isDisputed: boolean
}

const KINDS: Readonly<Record<string, number>> = {
  '0': constants.S_IFREG,
  '2': constants.S_IFLNK,
  '3': constants.S_IFCHR,
  '4': constants.S_IFBLK,
  '5': constants.S_IFDIR,
  '6': constants.S_IFIFO,
}

/** File type bits of an entry type; undefined if the type is no file. */
export function kindOfType(type: string): number | undefined {
  return KINDS[type]
}

/** A directory without an entry of its own, as runtimes create it. */
export function impliedDirectory(inode: number): ImageNode {
  return {
    mode: constants.S_IFDIR | 0o755,
    uid: 0,
    gid: 0,
    sizeBytes: 0,
    modifiedMs: 0,
    attributes: new Map(),
    link: '',
    content: undefined,
    entries: new Map(),
    inode,
    names: 1,
    layer: -1,
    touched: -1,
    isDisputed: false,
  }
}

export function nodeOf(entry: TarEntry, kind: number, content: Content, inode: number): ImageNode {
  const isFile = kind === constants.S_IFREG
  return {
    mode: kind | entry.mode,
    uid: entry.uid,
    gid: entry.gid,
    sizeBytes: isFile ? entry.sizeBytes : Buffer.byteLength(kind === constants.S_IFLNK ? entry.link : ''),
    modifiedMs: entry.modifiedMs,
    attributes: entry.attributes,
    link: kind === constants.S_IFLNK ? entry.link : '',
    content: isFile ? content : undefined,
    entries: kind === constants.S_IFDIR ? new Map() : undefined,
    inode,
    names: 1,
    layer: -1,
    touched: -1,
    isDisputed: false,
  }
}

/** Throws a `RefusedFile` if runtimes disagree on a directory. */
export function refuseDisputed({ isDisputed }: ImageNode): void {
  if (!isDisputed) return
  throw new RefusedFile(
    'its mode and owner depend on the runtime, because a layer adds entries to it and only lower layers describe it; add an entry for it to that layer',
  )
}

/**
 * The stat(2) result of a node. An image only has modification times of contents. Reading mode or owner of a disputed
 * directory throws a `RefusedFile`.
 */
export function statsOf(node: ImageNode): SystemStats {
  const { mode, uid, gid } = node
  const settled = (value: number): number => {
    refuseDisputed(node)
    return value
  }
  const is = (kind: number) => (): boolean => (mode & constants.S_IFMT) === kind
  return {
    get mode() {
      return settled(mode)
    },
    get uid() {
      return settled(uid)
    },
    get gid() {
      return settled(gid)
    },
    size: node.sizeBytes,
    mtimeMs: node.modifiedMs,
    ctimeMs: node.modifiedMs,
    ino: node.inode,
    dev: 0,
    nlink: node.entries === undefined ? node.names : 2 + directoriesIn(node.entries),
    isFile: is(constants.S_IFREG),
    isDirectory: is(constants.S_IFDIR),
    isSymbolicLink: is(constants.S_IFLNK),
    isCharacterDevice: is(constants.S_IFCHR),
    isBlockDevice: is(constants.S_IFBLK),
  }
}

function directoriesIn(entries: ReadonlyMap<string, ImageNode>): number {
  let count = 0
  for (const { entries: below } of entries.values()) if (below !== undefined) count++
  return count
}
