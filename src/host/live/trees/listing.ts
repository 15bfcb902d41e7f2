import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, readdirSync } from 'node:fs'
import { hasLostBytes } from '../../../model/file-name.ts'
import { type Unknown, unknown } from '../../../model/observation.ts'
import { nameFromBytes, systemPath } from '../file-name.ts'
import type { SystemStats } from '../machine-files.ts'
import { errorCode, provesAbsence, unreadable } from '../system-error.ts'
import { isTrusted, OTHERS_WRITE } from '../trust.ts'
import type { AttributeTable } from './attributes.ts'
import type { FileSystemMap } from './file-systems.ts'
import type { Pace } from './pace.ts'

// If a terminal or fifo replaces the directory meanwhile, opening it must neither make it the controlling terminal nor
// block.
const DIRECTORY_FLAGS =
  constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY

const DESCRIPTORS = '/proc/self/fd'
const HAS_DESCRIPTORS = existsSync(DESCRIPTORS)

const STICKY = 0o1000

/** Node's replacement for invalid UTF-8. */
const REPLACEMENT = '\uFFFD'

/** A directory in a tree. */
export interface DirectoryNode {
  readonly name: string
  readonly attributes: number
  readonly device: number
  readonly inode: number
  /** Whether only root and the running user can replace it. */
  readonly isFixed: boolean
  /** Its content, once read. */
  listing: Listing | undefined
  /** Its content before a change of attributes; the listings below it are still valid. */
  earlier?: Listing
}

/** The content of a directory. There may be millions of entries, so each has only a name and an index. */
export interface Listing {
  /** Names separated by slashes, in the order of `attributes`. */
  readonly names: string
  /** Index of each entry's attributes in the table. */
  readonly attributes: readonly number[]
  /** Number of entries by attributes; most have the same. */
  readonly counts: ReadonlyMap<number, number>
  /** The entries that are directories, in the same order. */
  readonly directories: readonly DirectoryNode[]
  /** Entries that were not accessed because of their mounts. */
  readonly silent: ReadonlyMap<string, string>
  readonly unread: readonly Unknown[]
}

/** Dependencies of reading a directory. */
export interface ListingTools {
  readonly table: AttributeTable
  readonly fileSystems: FileSystemMap
}

export interface OpenedDirectory {
  readonly names: readonly string[]
  /** Undefined if the entry no longer exists. */
  readonly lookAt: (name: string) => SystemStats | Unknown | undefined
  readonly close: () => void
}

/** Opens a directory and verifies that it is the same one as before and not behind a link. */
export type OpenDirectory = (path: string, node: DirectoryNode) => OpenedDirectory | Unknown

const NONE: ReadonlyMap<string, string> = new Map()

export const NOTHING: Listing = {
  names: '',
  attributes: [],
  counts: new Map(),
  directories: [],
  silent: NONE,
  unread: [],
}

/**
 * Reads a directory and the attributes of its entries, without following links. Entries that disappear meanwhile are
 * ignored. Undefined if the work is aborted.
 */
export async function readListing(
  path: string,
  node: DirectoryNode,
  tools: ListingTools & { readonly open: OpenDirectory },
  pace: Pace,
): Promise<Listing | undefined> {
  const directory = tools.open(path, node)
  if ('kind' in directory) return { ...NOTHING, unread: [directory] }
  try {
    return await listingOf(directory, { path, node }, tools, pace)
  } finally {
    directory.close()
  }
}

async function listingOf(
  directory: OpenedDirectory,
  { path, node }: { readonly path: string; readonly node: DirectoryNode },
  { table, fileSystems }: ListingTools,
  pace: Pace,
): Promise<Listing | undefined> {
  const silent = fileSystems.silentIn(path) ?? NONE
  const names: string[] = []
  const attributes: number[] = []
  const counts = new Map<number, number>()
  const directories: DirectoryNode[] = []
  const unread: Unknown[] = []
  for (const name of directory.names) {
    if (pace.isDue()) {
      await pace.rest()
      if (pace.isOver()) return undefined
    }
    if (silent.has(name)) continue
    const stats = directory.lookAt(name)
    if (stats === undefined) continue
    if ('kind' in stats) {
      unread.push(stats)
      // Without search permission on the directory, no entry is accessible.
      if (stats.reason === 'permission-denied') break
      continue
    }
    const number = table.intern(stats)
    names.push(name)
    attributes.push(number)
    counts.set(number, (counts.get(number) ?? 0) + 1)
    if (stats.isDirectory()) directories.push(directoryNode(name, number, stats, isFixedIn(node, table, stats)))
  }
  return { names: names.join('/'), attributes, counts, directories, silent, unread }
}

/** A directory that has not been read yet. */
export function directoryNode(name: string, attributes: number, stats: SystemStats, isFixed: boolean): DirectoryNode {
  return { name, attributes, device: stats.dev, inode: stats.ino, isFixed, listing: undefined }
}

function isFixedIn({ isFixed, attributes }: DirectoryNode, table: AttributeTable, { uid }: SystemStats): boolean {
  return isFixed && staysIn(table.at(attributes), uid)
}

/**
 * Whether only root and the running user can rename or remove an entry of this owner in a directory. The mode suffices:
 * an ACL grants no more than its group bits.
 */
export function staysIn(directory: Pick<SystemStats, 'mode' | 'uid'>, owner: number): boolean {
  if (!isTrusted(directory.uid)) return false
  return (directory.mode & OTHERS_WRITE) === 0 || ((directory.mode & STICKY) !== 0 && isTrusted(owner))
}

function lookAt(path: string | Buffer, shown: string): SystemStats | Unknown | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    return provesAbsence(error) ? undefined : unreadable(error, shown)
  }
}

interface Names {
  readonly names: readonly string[]
  /** Whether all names are valid UTF-8, as usual. */
  readonly isText: boolean
}

export const openLocalDirectory: OpenDirectory = (path, node) => {
  const found = readNames(path, node)
  if ('kind' in found) return found
  const prefix = path === '/' ? path : `${path}/`
  const isText = found.isText && !hasLostBytes(path)
  const { names } = found
  return {
    names,
    lookAt: (name) => lookAt(isText ? prefix + name : systemPath(prefix + name), prefix + name),
    close: () => undefined,
  }
}

function readNames(path: string, { device, isFixed }: DirectoryNode): Names | Unknown {
  let descriptor: number | undefined
  try {
    if (isFixed) return namesIn(path)
    descriptor = openSync(systemPath(path), DIRECTORY_FLAGS)
    // Something was mounted over it, or a link above has changed.
    if (fstatSync(descriptor).dev !== device) {
      return unknown('not-observable', `${path} was replaced during the scan`)
    }
    return namesIn(HAS_DESCRIPTORS ? `${DESCRIPTORS}/${descriptor}` : path)
  } catch (error) {
    // A link or another file has replaced it.
    if (provesAbsence(error) || errorCode(error) === 'ELOOP') return { names: [], isText: true }
    return unreadable(error, path)
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

function namesIn(directory: string): Names {
  const names = readdirSync(systemPath(directory))
  if (!names.some((name) => name.includes(REPLACEMENT))) return { names, isText: true }
  return { names: readdirSync(systemPath(directory), 'buffer').map(nameFromBytes), isText: false }
}
