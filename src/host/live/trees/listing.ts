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

// No terminal becomes ours and no fifo is waited for, should one have taken the place of the directory.
const DIRECTORY_FLAGS =
  constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY

const DESCRIPTORS = '/proc/self/fd'
const HAS_DESCRIPTORS = existsSync(DESCRIPTORS)

const STICKY = 0o1000

/** What Node makes of bytes that are no UTF-8. */
const REPLACEMENT = '\uFFFD'

/** A directory in a tree, as its parent has it. */
export interface DirectoryNode {
  readonly name: string
  readonly attributes: number
  readonly device: number
  readonly inode: number
  /** Whether only root and the running user can put something else in its place. */
  readonly isFixed: boolean
  /** What is in it, once that was read. */
  listing: Listing | undefined
  /** What was in it before something of it was changed: what lies below is still so. */
  earlier?: Listing
}

/** What is in a directory. There are millions of entries, so of each there is its name and a number, and nothing else. */
export interface Listing {
  /** In the order of `attributes`, parted by slashes. */
  readonly names: string
  /** Of each entry, by their numbers in the table. */
  readonly attributes: readonly number[]
  /** How many entries have these attributes: mostly all have the same. */
  readonly counts: ReadonlyMap<number, number>
  /** Those entries that are directories, in the same order. */
  readonly directories: readonly DirectoryNode[]
  /** Entries that were not looked at because of what is mounted upon them. */
  readonly silent: ReadonlyMap<string, string>
  readonly unread: readonly Unknown[]
}

/** What reading a directory needs beside its path. */
export interface ListingTools {
  readonly table: AttributeTable
  readonly fileSystems: FileSystemMap
}

/** A directory that is looked into. */
export interface OpenedDirectory {
  readonly names: readonly string[]
  /** The entry itself; undefined where it is gone. */
  readonly lookAt: (name: string) => SystemStats | Unknown | undefined
  readonly close: () => void
}

/** Opens a directory, of which it is proved that it is not behind a link and lies where it was seen. */
export type OpenDirectory = (path: string, node: DirectoryNode) => OpenedDirectory | Unknown

const NONE: ReadonlyMap<string, string> = new Map()

/** What is in an empty directory. */
export const NOTHING: Listing = {
  names: '',
  attributes: [],
  counts: new Map(),
  directories: [],
  silent: NONE,
  unread: [],
}

/**
 * Reads a directory and looks at each of its entries, none of them followed. What is gone meanwhile was not there. Undefined
 * where the work has to end before that.
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
      // Without the right to search the directory none of its entries can be looked at.
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

/** A directory of which nothing was read yet. */
export function directoryNode(name: string, attributes: number, stats: SystemStats, isFixed: boolean): DirectoryNode {
  return { name, attributes, device: stats.dev, inode: stats.ino, isFixed, listing: undefined }
}

function isFixedIn({ isFixed, attributes }: DirectoryNode, table: AttributeTable, { uid }: SystemStats): boolean {
  return isFixed && staysIn(table.at(attributes), uid)
}

/**
 * Whether only root and the running user can rename or remove what this user owns in a directory. The mode says enough: a
 * list of further entries gives no more than the bits of the group do.
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
  /** Whether all of them are sure to be UTF-8, as most are. */
  readonly isText: boolean
}

/** Opens a directory of this machine. */
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
    // Something was mounted upon it, or a link above leads elsewhere now.
    if (fstatSync(descriptor).dev !== device) {
      return unknown('not-observable', `${path} was replaced while it was looked at`)
    }
    return namesIn(HAS_DESCRIPTORS ? `${DESCRIPTORS}/${descriptor}` : path)
  } catch (error) {
    // A link or something else has taken its place, so it is gone, too.
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
