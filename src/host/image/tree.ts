import { constants } from 'node:fs'
import type { SystemStats } from '../live/machine-files.ts'
import { RefusedFile } from '../live/system-error.ts'
import type { HeldFile } from './held-file.ts'
import type { TarEntry } from './tar-reader.ts'

/** Where the bytes of a file are: in an open file, from that byte on. */
export interface Content {
  readonly file: HeldFile
  readonly at: number
}

/** Something in an image: hard links to it are the same node. */
export interface ImageNode {
  /** The kind and the twelve permission bits, as the system has them. */
  mode: number
  uid: number
  gid: number
  sizeBytes: number
  modifiedMs: number
  device: readonly [number, number]
  attributes: ReadonlyMap<string, Buffer>
  /** What a symbolic link names. */
  readonly link: string
  readonly content: Content | undefined
  /** Of a directory; undefined for everything else. */
  readonly entries: Map<string, ImageNode> | undefined
  readonly inode: number
  names: number
  /** The last layer that had an entry for it; -1 for a directory that none has, but something below it. */
  layer: number
  /** The last layer that had an entry for it or anything below. */
  touched: number
  /** Whether runtimes differ in its mode and owner: a layer puts something into it, and only lower layers describe it. */
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

/** What kind of thing an entry of that type is; undefined for a type that stands for none. */
export function kindOfType(type: string): number | undefined {
  return KINDS[type]
}

/** As runtimes make a directory that has no entry of its own. */
export function impliedDirectory(inode: number): ImageNode {
  return {
    mode: constants.S_IFDIR | 0o755,
    uid: 0,
    gid: 0,
    sizeBytes: 0,
    modifiedMs: 0,
    device: [0, 0],
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

/** What an entry makes, whose content is in that file. */
export function nodeOf(entry: TarEntry, kind: number, content: Content, inode: number): ImageNode {
  const isFile = kind === constants.S_IFREG
  return {
    mode: kind | entry.mode,
    uid: entry.uid,
    gid: entry.gid,
    sizeBytes: isFile ? entry.sizeBytes : Buffer.byteLength(kind === constants.S_IFLNK ? entry.link : ''),
    modifiedMs: entry.modifiedMs,
    device: entry.device,
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

/** Throws a `RefusedFile` where runtimes differ in what they make of a directory. */
export function refuseDisputed({ isDisputed }: ImageNode): void {
  if (!isDisputed) return
  throw new RefusedFile(
    'runtimes differ in its mode and owner, because a layer puts something into it and only layers below describe it; give that layer an entry for it',
  )
}

/**
 * What the system would tell of it. An image has no times of changes but those of contents. Asking for the mode or owner of a
 * directory in which runtimes differ throws a `RefusedFile`.
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
