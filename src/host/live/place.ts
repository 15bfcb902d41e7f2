import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, readlinkSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { nameFromBytes, systemPath } from './file-name.ts'
import { deviceMount, mountOf } from './mounts.ts'
import { errorCode } from './system-error.ts'

// Not among Node's constants; the same number on every Linux that Node runs on. Opens a place without the right to
// read or write it, and with O_NOFOLLOW a symbolic link itself.
const O_PATH = 0x200000

const DESCRIPTORS = '/proc/self/fd'

/** Something in the file system that is held while it is worked on. A symbolic link stands for itself. */
export interface Place {
  readonly stats: Stats
  /** A path of this very thing for a system call; valid until it is closed. For a link only of use on what it leads to. */
  readonly handle: string
  /** Whether it lies below a root directory outside of which nothing may be changed, not even by a second name of a file. */
  readonly isConfined?: boolean
  /** Tells the mount this lies on from others. */
  mount(): string
  /** The path of an entry of this directory for a system call; valid until it is closed. */
  entry(name: string | Buffer): string | Buffer
  /** Goes one component further without following a link. Throws what the system call does. */
  child(name: string | Buffer): Place
  /** Where the link with that name in this directory leads. */
  linkTarget(name: string): string
  close(): void
}

/**
 * The root directory. Where the kernel offers descriptors as paths (Linux with /proc), each place is reached through the
 * descriptor of the one before, so that another directory cannot slip in between; elsewhere through its path.
 */
export function openRoot(): Place {
  return existsSync(DESCRIPTORS) ? descriptorPlace('/') : pathPlace('/')
}

/** A place that is held by its descriptor. Throws what opening it does. */
export function descriptorPlace(path: string | Buffer): Place {
  const fd = openSync(path, O_PATH | constants.O_NOFOLLOW)
  const handle = `${DESCRIPTORS}/${fd}`
  return {
    stats: fstatSync(fd),
    handle,
    mount: () => mountOf(fd),
    entry: (name) => within(handle, name),
    child: (name) => descriptorPlace(within(handle, name)),
    linkTarget: (name) => nameFromBytes(readlinkSync(within(handle, name), 'buffer')),
    close: () => closeSync(fd),
  }
}

/** What has that name in a directory; undefined where nothing has. Throws what the system call does. */
export function findChild(directory: Place, name: string | Buffer): Place | undefined {
  try {
    return directory.child(name)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/** A place that is only known by its path, for systems without descriptor paths. */
export function pathPlace(path: string): Place {
  const stats = lstatSync(systemPath(path))
  return {
    stats,
    handle: path,
    mount: () => deviceMount(stats.dev),
    entry: (name) => within(path, name),
    child: (name) => pathPlace(join(path, typeof name === 'string' ? name : nameFromBytes(name))),
    linkTarget: (name) => nameFromBytes(readlinkSync(within(path, name), 'buffer')),
    close: () => undefined,
  }
}

/** Names are bytes to the system, whether they come as such or as text that stands for them. */
function within(directory: string, name: string | Buffer): string | Buffer {
  if (typeof name === 'string') return systemPath(`${directory}/${name}`)
  return Buffer.concat([Buffer.from(systemPath(`${directory}/`)), name])
}
