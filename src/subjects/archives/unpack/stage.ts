import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  futimesSync,
  linkSync,
  mkdirSync,
  openSync,
  symlinkSync,
  writeSync,
} from 'node:fs'
import { findChild, type Place } from '../../../host/live/place.ts'
import { errorCode } from '../../../host/live/system-error.ts'
import { refuseEntry } from '../../../host/archive/archive-error.ts'
import type { ArchiveMeter } from '../../../host/archive/archive-limits.ts'
import { openWalker, OWNER_BITS } from './stage-walker.ts'

// Limit of a file name, and of a path with room for the destination below the system limit of 4096.
const MAX_NAME_BYTES = 255

const MAX_PATH_BYTES = 3072
const MAX_DEPTH = 128

// A UTF-8 decoder replaces invalid bytes with this character.
const REPLACEMENT = '\uFFFD'

/** Path of an entry relative to the destination, without `.`; empty for the destination itself. */
type EntryPath =
  | { readonly kind: 'path'; readonly components: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: string }

// @see symlink(7)
const MAX_TARGET_BYTES = 4095

const CREATE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

// Set-user-id and set-group-id bits are dropped; the sticky bit is only kept for directories.
const PERMISSION_BITS = { file: 0o777, directory: 0o1777 } as const

export interface FileSink {
  readonly write: (chunk: Uint8Array) => void
  readonly end: () => void
}

/** Directory with a mode that locks out its owner, set after its entries are staged and moved. */
export interface ClosedDirectory {
  readonly components: readonly string[]
  readonly mode: number
}

/**
 * Private directory that receives the entries of an archive. Names are as in the archive. Every method throws an `ArchiveError`
 * for a refused entry: it would leave the directory, lead through a link, or is a duplicate.
 */
export interface Stage {
  readonly directory: (name: string, mode: number) => void
  /** `modifiedMs` is since 1970; the current time if absent. Only one file is open at a time. */
  readonly file: (name: string, attributes: { readonly mode: number; readonly modifiedMs?: number }) => FileSink
  readonly symlink: (name: string, target: string) => void
  /** Adds a hard link to a staged regular file. */
  readonly hardlink: (name: string, existing: string) => void
  readonly closedDirectories: () => readonly ClosedDirectory[]
  /** Closes the open file, if any. */
  readonly close: () => void
}

/** Opens a stage in an empty directory that no other user can write to. The caller closes the place. */
export function openStage(root: Place, meter: ArchiveMeter): Stage {
  const closed = new Map<string, ClosedDirectory>()
  const walker = openWalker(root, meter)
  let openFile: number | undefined

  /** Creates an entry at its path, which must not exist. */
  function place<T>(name: string, make: (holder: Place, base: string, components: readonly string[]) => T): T {
    meter.countEntry()
    const components = componentsOf(name)
    const base = components.at(-1)
    if (base === undefined) throw refuseEntry(name, 'has the name of the destination itself')
    try {
      return make(walker.holderOf(name, components), base, components)
    } catch (error) {
      if (errorCode(error) === 'EEXIST') throw refuseEntry(name, 'occurs twice in the archive')
      throw error
    }
  }

  return {
    directory(name, mode) {
      // The destination keeps its own attributes.
      if (componentsOf(name).length === 0) return
      place(name, (holder, base, components) => {
        const bits = mode & PERMISSION_BITS.directory
        setUpDirectory(holder, base, { name, mode: bits | OWNER_BITS })
        const key = components.join('/')
        closed.delete(key)
        if ((bits & OWNER_BITS) !== OWNER_BITS) closed.set(key, { components, mode: bits })
      })
    },
    file(name, { mode, modifiedMs = Date.now() }) {
      const fd = place(name, (holder, base) => openSync(holder.entry(base), CREATE_FLAGS, 0o600))
      openFile = fd
      fchmodSync(fd, mode & PERMISSION_BITS.file)
      return {
        write: (chunk) => writeAll(fd, chunk),
        end() {
          futimesSync(fd, modifiedMs / 1000, modifiedMs / 1000)
          openFile = undefined
          closeSync(fd)
        },
      }
    },
    symlink(name, target) {
      place(name, (holder, base, components) => {
        const problem = symlinkProblem(components, target)
        if (problem !== undefined) throw refuseEntry(name, problem)
        symlinkSync(target, holder.entry(base))
      })
    },
    hardlink(name, existing) {
      // Like GNU tar: the link already exists.
      if (isOneFile(root, name, existing)) return
      place(name, (holder, base) => linkTo(root, existing, { name, path: holder.entry(base) }))
    },
    closedDirectories: () => [...closed.values()],
    close() {
      if (openFile !== undefined) closeSync(openFile)
      openFile = undefined
      walker.close()
    },
  }
}

/** Whether both names are the same staged file. */
function isOneFile(root: Place, name: string, existing: string): boolean {
  const parsed = parseEntryPath(existing)
  const components = componentsOf(name)
  if (parsed.kind === 'refused' || parsed.components.join('/') !== components.join('/')) return false
  const file = findFile(root, components)
  file?.close()
  return file !== undefined
}

function linkTo(root: Place, existing: string, link: { readonly name: string; readonly path: string | Buffer }): void {
  const parsed = parseEntryPath(existing)
  const place = parsed.kind === 'refused' ? undefined : findFile(root, parsed.components)
  if (place === undefined) {
    throw refuseEntry(
      link.name,
      `is a hard link to ${JSON.stringify(existing)}, which is not an earlier file in the archive`,
    )
  }
  try {
    linkSync(place.path, link.path)
  } finally {
    place.close()
  }
}

function componentsOf(name: string): readonly string[] {
  const parsed = parseEntryPath(name)
  if (parsed.kind === 'refused') throw refuseEntry(name, parsed.reason)
  return parsed.components
}

function setUpDirectory(
  holder: Place,
  base: string,
  { name, mode }: { readonly name: string; readonly mode: number },
): void {
  try {
    mkdirSync(holder.entry(base), { mode: OWNER_BITS })
  } catch (error) {
    // A parent may have been created implicitly, and duplicate directories are harmless.
    if (errorCode(error) !== 'EEXIST') throw error
  }
  const made = holder.child(base)
  try {
    if (!made.stats.isDirectory()) throw refuseEntry(name, 'occurs twice in the archive')
    chmodSync(made.handle, mode)
  } finally {
    made.close()
  }
}

/** Regular file, found without following links, as a path for a system call. */
function findFile(
  root: Place,
  components: readonly string[],
): { readonly path: string | Buffer; readonly close: () => void } | undefined {
  const base = components.at(-1)
  if (base === undefined) return undefined
  const opened: Place[] = []
  const close = (): void => {
    for (const place of opened) place.close()
  }
  let holder = root
  for (const [index, component] of components.entries()) {
    const next = findChild(holder, component)
    if (next === undefined) break
    opened.push(next)
    const isLast = index === components.length - 1
    if (isLast && next.stats.isFile()) return { path: holder.entry(base), close }
    if (isLast || !next.stats.isDirectory()) break
    holder = next
  }
  close()
  return undefined
}

function writeAll(fd: number, chunk: Uint8Array): void {
  for (let offset = 0; offset < chunk.length;) offset += writeSync(fd, chunk, offset)
}

/**
 * Why a symbolic link of an archive is refused, as the end of a sentence; undefined if accepted. `link` is the path of the link.
 * Only targets that first go up and then down are accepted: each link on the way down stays inside too, so no chain can escape.
 * That does not hold for `a/../b`, as `a` may be a link.
 */
export function symlinkProblem(link: readonly string[], target: string): string | undefined {
  if (target === '') return 'is a link with an empty target'
  if (target.includes('\0')) return 'is a link with a NUL character in its target'
  if (target.includes('\uFFFD')) return 'is a link with a target that is not UTF-8'
  if (Buffer.byteLength(target) > MAX_TARGET_BYTES) return 'is a link with a target that is too long'
  if (target.startsWith('/')) return 'is a link to an absolute path'
  const components = target.split('/').filter((component) => component !== '' && component !== '.')
  const firstName = components.findIndex((component) => component !== '..')
  const ups = firstName === -1 ? components.length : firstName
  if (ups > link.length - 1) return 'is a link to a path outside the destination'
  if (components.slice(ups).includes('..'))
    return 'is a link with ".." after a name in its target, which may resolve outside the destination'
  return undefined
}

/** Parses the name of an archive entry. Refuses names that could point outside the destination. */
export function parseEntryPath(name: string): EntryPath {
  if (name === '') return refusedPath('has no name')
  if (name.includes('\0')) return refusedPath('has a NUL character in its name')
  if (name.includes(REPLACEMENT)) return refusedPath('has a name that is not UTF-8')
  if (name.startsWith('/')) return refusedPath('has an absolute name')
  if (Buffer.byteLength(name) > MAX_PATH_BYTES) return refusedPath(`has a name of more than ${MAX_PATH_BYTES} bytes`)
  const components = name.split('/').filter((component) => component !== '' && component !== '.')
  if (components.includes('..')) return refusedPath('has ".." in its name')
  if (components.length > MAX_DEPTH) return refusedPath(`is more than ${MAX_DEPTH} directories deep`)
  if (components.some((component) => Buffer.byteLength(component) > MAX_NAME_BYTES)) {
    return refusedPath(`has a name of more than ${MAX_NAME_BYTES} bytes`)
  }
  return { kind: 'path', components }
}

function refusedPath(reason: string): EntryPath {
  return { kind: 'refused', reason }
}
