import {
  chmodSync,
  closeSync,
  constants,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  type Stats,
  unlinkSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { ApplyOutcome } from '../../model/decision.ts'
import { hasLostBytes } from '../../model/file-name.ts'
import { flushTree } from '../../subjects/archives/unpack/flush-tree.ts'
import { beginFlush, flush } from '../../host/live/flush.ts'
import { openDirectory } from '../../host/live/open-directory.ts'
import { recoverTemporary, type Recovery } from '../../host/live/recover.ts'
import { openRoot, type Place } from '../../host/live/place.ts'
import { remove } from '../../host/live/remove.ts'
import { copyAttributes, runCp } from '../../host/live/run-cp.ts'
import type { OpenRoot, Site } from '../../host/live/site.ts'
import { errorCode, writeFailure } from '../../host/live/system-error.ts'
import type { Failed } from '../../host/keeping.ts'
import { writeInPlace } from '../../host/live/write-in-place.ts'
import { temporaryName } from '../../host/live/temporary-name.ts'

/** A tree of some gigabytes on a slow disk. */
const TIMEOUT_MS = 30 * 60_000

// Not among Node's constants; the same number on every Linux that Node runs on.
const O_PATH = 0x200000

const PRESERVED = ['mode', 'ownership', 'timestamps', 'links', 'xattr'] as const

/** An item that was kept, before it is on the disk. */
export interface Kept {
  readonly kind: 'kept'
  /** Done once it is on the disk. */
  readonly flushed: Promise<ApplyOutcome>
}

/**
 * Copies what is at a path, with everything below it, to a new entry of a directory of ours, and begins to flush it. Node has no
 * calls for extended attributes, so cp(1) copies: content, owner, mode, times, lists, attributes, capabilities, and links among what
 * is copied.
 */
export function keepCopy(path: string, to: string, root: OpenRoot): Promise<Kept | Failed> {
  return keep({ path, root }, to, copy)
}

/**
 * The same for what is not written to, because something else is about to take its place or it is removed: a file is kept by
 * one more name, which takes neither time nor room. Until then it has two, so `releaseKept` follows where it stays.
 */
export function keepReplaced(path: string, to: string, root: OpenRoot): Promise<Kept | Failed> {
  return keep({ path, root }, to, async (from, kept) => {
    if (!gaveName(from, kept)) await copy(from, kept)
  })
}

/** Takes the name away by which a file is kept that is still where it was. Throws the system's error. */
export function releaseKept(kept: string, path: string, root: OpenRoot): void {
  const left = lstatSync(kept, { throwIfNoEntry: false })
  const right = left === undefined ? undefined : statsOf(path, root)
  if (left !== undefined && left.ino === right?.ino && left.dev === right.dev) unlinkSync(kept)
}

/** Of the item itself; undefined if no fix could have reached it. */
function statsOf(path: string, root: OpenRoot): Stats | undefined {
  const parent = openDirectory(dirname(path), { root })
  if (parent.kind !== 'open') return undefined
  try {
    return lstatSync(parent.directory.entry(basename(path)), { throwIfNoEntry: false })
  } finally {
    parent.directory.close()
  }
}

async function keep(from: End, to: string, take: (from: Entry, kept: Entry) => Promise<void>): Promise<Kept | Failed> {
  const flushes: Promise<void>[] = []
  const outcome = await withParents(from, { path: to, root: openRoot }, async (source, destination) => {
    const kept = { holder: destination, name: basename(to) }
    await take({ holder: source, name: basename(from.path) }, kept)
    flushes.push(beginFlush(destination), flushEntry(kept))
  })
  if (outcome.kind === 'failed') return outcome
  const flushed = Promise.all(flushes).then(
    () => outcome,
    (error: unknown) => writeFailure(error, `cannot copy ${from.path} to ${to}`),
  )
  return { kind: 'kept', flushed }
}

/** Whether a file has a second name now. A copy that shares its inode would change with the file. */
function gaveName(from: Entry, to: Entry): boolean {
  const [old, next] = [from.holder.entry(from.name), to.holder.entry(to.name)]
  const stats = lstatSync(old)
  if (!stats.isFile() || stats.nlink > 1) return false
  try {
    linkSync(old, next)
    return true
  } catch (error) {
    // On another file system, on one without links, of a file of another user: each has its own code.
    if (errorCode(error) === undefined) throw error
    return false
  }
}

/**
 * Puts what was kept in place of the present item, in one step where it is no directory: a file itself where it has no other
 * name on the same file system, and then it is not kept any more; else a copy. The fix journal knows the temporary directory until then.
 */
export function restoreKept(kept: string, { path, names }: Where, { root, journal }: Site): Promise<ApplyOutcome> {
  const temporary = join(dirname(path), temporaryName(basename(path)))
  return withParents({ path: kept, root: openRoot }, { path, root }, async (source, destination) => {
    const from = { holder: source, name: basename(kept) }
    journal.record(temporary)
    let isMoved: boolean
    let left: Recovery
    try {
      isMoved = await moveCopy(from, { destination, temporary: basename(temporary), path, names, root })
    } finally {
      left = await recoverTemporary(temporary, root)
      if (left.kind !== 'failed') journal.forget(temporary)
    }
    // What was removed was flushed with its directory, and only then the last other name of the file may go.
    if (left.kind !== 'removed') flush(destination)
    if (isMoved) unlinkSync(source.entry(from.name))
  })
}

/** Writes what was kept of a file into the one at the path, which stays the same; where that is gone, as `restoreKept`. */
export async function restoreInPlace(kept: string, where: Where, site: Site): Promise<ApplyOutcome> {
  const { path } = where
  const [from, now] = [lstatSync(kept), statsOf(path, site.root)]
  if (!from.isFile() || now?.isFile() !== true) return restoreKept(kept, where, site)
  const attributes = { uid: from.uid, gid: from.gid, mode: from.mode & 0o7777 }
  const written = await writeInPlace(path, { kind: 'copy', source: kept }, attributes, site)
  if (written.kind === 'failed') return written
  const preserve = ['mode', 'timestamps', 'xattr']
  return withParents({ path: kept, root: openRoot }, { path, root: site.root }, async (source, destination) => {
    const [old, next] = [source.child(basename(kept)), destination.child(basename(path))]
    const open = ({ handle }: Place): number => openSync(handle, constants.O_RDONLY | constants.O_NONBLOCK)
    const descriptors = [open(old), open(next)] as const
    try {
      const trouble = await copyAttributes(descriptors, { preserve, timeoutMs: TIMEOUT_MS })
      if (trouble !== undefined) throw new CopyError(trouble)
    } finally {
      for (const descriptor of descriptors) closeSync(descriptor)
      for (const place of [old, next]) place.close()
    }
  })
}

/** Where something comes, and other names in its directory that it had as a file. */
interface Where {
  readonly path: string
  readonly names: readonly string[]
}

interface Move extends Where, Pick<Site, 'root'> {
  readonly destination: Place
  readonly temporary: string
}

/**
 * Puts the kept file itself (true) or a copy in place, unflushed. A copy that is made in a directory with set-group-id would
 * inherit that bit, so it is made in one of our own.
 */
async function moveCopy(kept: Entry, { destination, temporary, path, names, root }: Move): Promise<boolean> {
  mkdirSync(destination.entry(temporary), { mode: 0o700 })
  const holder = destination.child(temporary)
  try {
    chmodSync(holder.handle, 0o700)
    const copied = { holder, name: 'copy' }
    const twin = names.map((name) => destination.entry(basename(name))).find((name) => isSameFile(name, kept))
    const isMoved = twin === undefined && gaveName(kept, copied)
    if (twin !== undefined) linkSync(twin, holder.entry(copied.name))
    else if (!isMoved) await copy(kept, copied)
    if (!isMoved) await flushEntry(copied)
    await makeRoom(copied, { destination, path, root })
    renameSync(holder.entry(copied.name), destination.entry(basename(path)))
    return isMoved
  } finally {
    holder.close()
  }
}

/** Whether a file is what was kept: its time is a matter of nanoseconds, which a change does not meet again. */
function isSameFile(path: string | Buffer, { holder, name }: Entry): boolean {
  const [left, right] = [path, holder.entry(name)].map((each) =>
    lstatSync(each, { bigint: true, throwIfNoEntry: false }),
  )
  if (left === undefined || right === undefined) return false
  return (['mode', 'uid', 'gid', 'size', 'mtimeNs'] as const).every((field) => left[field] === right[field])
}

/** A directory cannot take the place of anything else, nor anything else that of a directory. */
async function makeRoom(
  { holder, name }: Entry,
  { destination, path, root }: Pick<Move, 'destination' | 'path' | 'root'>,
): Promise<void> {
  const there = lstatSync(destination.entry(basename(path)), { throwIfNoEntry: false })
  if (there === undefined || !(there.isDirectory() || lstatSync(holder.entry(name)).isDirectory())) return
  const removed = await remove(path, { recursive: true, root })
  if (removed.kind === 'failed') throw new CopyError(removed.message)
}

/** Why something was not copied, where no system call failed. */
class CopyError extends Error {
  override readonly name = 'CopyError'
}

/** A path, and where it begins. */
interface End extends Pick<Site, 'root'> {
  readonly path: string
}

async function withParents(
  from: End,
  to: End,
  work: (source: Place, destination: Place) => Promise<void>,
): Promise<ApplyOutcome> {
  const attempt = `cannot copy ${from.path} to ${to.path}`
  const opened: Place[] = []
  try {
    for (const { path, root } of [from, to]) {
      const parent = openDirectory(dirname(path), { root })
      if (parent.kind !== 'open') return { kind: 'failed', message: `${attempt}: ${parent.message}` }
      opened.push(parent.directory)
    }
    const [source, destination] = opened
    if (source !== undefined && destination !== undefined) await work(source, destination)
    return { kind: 'done' }
  } catch (error) {
    return error instanceof CopyError
      ? { kind: 'failed', message: `${attempt}: ${error.message}` }
      : writeFailure(error, attempt)
  } finally {
    for (const place of opened) place.close()
  }
}

interface Entry {
  readonly holder: Place
  readonly name: string
}

/** Both directories are handed to the program open, so their paths cannot be replaced meanwhile. */
async function copy(from: Entry, to: Entry): Promise<void> {
  if (hasLostBytes(from.name + to.name)) throw new CopyError('cp does not support a name that is not UTF-8')
  const descriptors = [from, to].map(({ holder }) => openSync(holder.handle, O_PATH | constants.O_DIRECTORY))
  try {
    const args = ['-dR', '--reflink=auto', '-T', '--', `/proc/self/fd/3/${from.name}`, `/proc/self/fd/4/${to.name}`]
    const trouble = await runCp({ preserve: PRESERVED, args, descriptors, timeoutMs: TIMEOUT_MS })
    if (trouble !== undefined) throw new CopyError(trouble)
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor)
  }
}

/** Opens the entry at once, so that its directory may be closed meanwhile. */
async function flushEntry({ holder, name }: Entry): Promise<void> {
  const place = holder.child(name)
  try {
    if (place.stats.isDirectory()) await flushTree(place)
    else if (place.stats.isFile()) await beginFlush(place)
  } finally {
    place.close()
  }
}
