import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, readlinkSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { nameFromBytes, systemPath } from './file-name.ts'
import { deviceMount, mountOf } from './mounts.ts'
import { errorCode } from './system-error.ts'

// Missing in Node's constants; the same number on every Linux that Node runs on. Opens a file without read or write
// permission, and with O_NOFOLLOW a symbolic link itself.
const O_PATH = 0x200000

const DESCRIPTORS = '/proc/self/fd'

/** An open file system entry. A symbolic link is not followed. */
export interface Place {
  readonly stats: Stats
  /**
   * A path of exactly this entry for system calls; valid until it is closed. System calls follow the handle of a link
   * to its target.
   */
  readonly handle: string
  /** Whether it is confined to a root directory: nothing outside may be changed, not even through hard links. */
  readonly isConfined?: boolean
  /** Id of its mount. */
  mount(): string
  /** The path of an entry of this directory for system calls; valid until it is closed. */
  entry(name: string | Buffer): string | Buffer
  /** Opens an entry of this directory without following a link. Throws the error of the system call. */
  child(name: string | Buffer): Place
  /** lstat(2) of an entry of this directory. Throws the error of the system call. */
  lstat(name: string | Buffer): Stats
  /** The target of a link in this directory. */
  linkTarget(name: string): string
  close(): void
}

/**
 * Opens the root directory. On Linux with /proc, each place is reached through the descriptor of its parent, so that
 * directories cannot be swapped meanwhile; elsewhere through its path.
 */
export function openRoot(): Place {
  return existsSync(DESCRIPTORS) ? descriptorPlace('/') : pathPlace('/')
}

/** Path held open by an `O_PATH` descriptor. Throws the error of open(2). */
export function descriptorPlace(path: string | Buffer): Place {
  const fd = openSync(path, O_PATH | constants.O_NOFOLLOW)
  const handle = `${DESCRIPTORS}/${fd}`
  return {
    stats: fstatSync(fd),
    handle,
    mount: () => mountOf(fd),
    entry: (name) => joinName(handle, name),
    child: (name) => descriptorPlace(joinName(handle, name)),
    lstat: (name) => lstatSync(joinName(handle, name)),
    linkTarget: (name) => nameFromBytes(readlinkSync(joinName(handle, name), 'buffer')),
    close: () => closeSync(fd),
  }
}

/** Opens an entry of a directory; undefined if absent. Throws the error of the system call. */
export function findChild(directory: Place, name: string | Buffer): Place | undefined {
  try {
    return directory.child(name)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/** A place known only by its path, for systems without descriptor paths. */
export function pathPlace(path: string): Place {
  const stats = lstatSync(systemPath(path))
  return {
    stats,
    handle: path,
    mount: () => deviceMount(stats.dev),
    entry: (name) => joinName(path, name),
    child: (name) => pathPlace(join(path, typeof name === 'string' ? name : nameFromBytes(name))),
    lstat: (name) => lstatSync(joinName(path, name)),
    linkTarget: (name) => nameFromBytes(readlinkSync(joinName(path, name), 'buffer')),
    close: () => undefined,
  }
}

/** Joins names as bytes, whether given as a buffer or as text that encodes bytes. */
function joinName(directory: string, name: string | Buffer): string | Buffer {
  if (typeof name === 'string') return systemPath(`${directory}/${name}`)
  return Buffer.concat([Buffer.from(systemPath(`${directory}/`)), name])
}
