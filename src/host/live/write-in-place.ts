import { close, constants, fchmodSync, fchownSync, fsync, ftruncate, open, read, type Stats, write } from 'node:fs'
import { basename, dirname } from 'node:path'
import { promisify } from 'node:util'
import type { ApplyOutcome } from '../../model/decision.ts'
import type { Capabilities } from '../capabilities.ts'
import type { DefaultAttributes, FileAttributes, FileContent } from '../remediator.ts'
import { setAccess } from './access/change.ts'
import { openAccessReader } from './access/reader.ts'
import { answeringPath } from './hanging.ts'
import { plantedLinkProblem } from './hard-links.ts'
import { openDirectory } from './open-directory.ts'
import { openRoot, type Place } from './place.ts'
import { giveTo } from './staged-file.ts'
import type { Site } from './site.ts'
import { writeFailure } from './system-error.ts'

const openAsync = promisify(open)
const readAsync = promisify(read)
const writeAsync = promisify(write)
const fsyncAsync = promisify(fsync)
const ftruncateAsync = promisify(ftruncate)
const closeAsync = promisify(close)

const EXECUTE_BITS = 0o111

/** Both contents are held in memory, so that the old one can be put back. */
const LARGEST_BYTES = 64 * 1024 * 1024

/**
 * Writes a regular file where it lies: its inode and all its names stay, and a mount point can be written. That is not one step:
 * readers may see a part of the new content, and a kill leaves one. So the room for the new content is taken before the old one
 * is touched, and after a failure the old content, owner and mode are there again. A link is not followed.
 */
export async function writeInPlace(
  path: string,
  content: FileContent,
  attributes: FileAttributes | DefaultAttributes,
  { root }: Pick<Site, 'root'>,
): Promise<ApplyOutcome> {
  const attempt = `cannot write ${path} in place`
  const parent = openDirectory(dirname(path), { root })
  if (parent.kind !== 'open') return { kind: 'failed', message: `${attempt}: ${parent.message}` }
  try {
    const place = parent.directory.child(basename(path))
    try {
      const problem = place.stats.isFile() ? plantedLinkProblem(place, parent.directory) : 'it is no regular file'
      if (problem !== undefined) throw new InPlaceError(problem)
      const capabilities = await capabilitiesOf(place, path, root)
      await rewrite(place, content, attributes)
      if (capabilities !== undefined) return setAccess(path, { capabilities }, root)
      return { kind: 'done' }
    } finally {
      place.close()
    }
  } catch (error) {
    return error instanceof InPlaceError
      ? { kind: 'failed', message: `${attempt}: ${error.message}` }
      : writeFailure(error, attempt)
  } finally {
    parent.directory.close()
  }
}

/** Why a file is not written in place, where no system call failed. */
class InPlaceError extends Error {
  override readonly name = 'InPlaceError'
}

/** The capabilities that writing takes away, and that only root can give back. */
async function capabilitiesOf({ stats }: Place, path: string, root: Site['root']): Promise<Capabilities | undefined> {
  if ((stats.mode & EXECUTE_BITS) === 0 || process.geteuid?.() !== 0) return undefined
  // Programs of the system are asked by the paths of this machine.
  if (root !== openRoot) throw new InPlaceError('it is a program, and its capabilities cannot be kept below a root')
  const [seen] = await openAccessReader().beyondMode([path])
  if (seen?.kind !== 'known') throw new InPlaceError(`its capabilities cannot be read: ${seen?.detail ?? 'no answer'}`)
  return seen.value.capabilities
}

async function rewrite(
  { handle, stats }: Place,
  content: FileContent,
  attributes: FileAttributes | DefaultAttributes,
): Promise<void> {
  const bytes = content.kind === 'bytes' ? content.bytes : await readSource(content.source)
  const fd = await openAsync(handle, constants.O_RDWR | constants.O_NONBLOCK)
  try {
    const old = await readAll(fd, stats.size)
    await takeRoom(fd, bytes, old.length)
    try {
      // Whoever may read only one of the two contents reads neither of them meanwhile.
      if ('mode' in attributes) fchmodSync(fd, stats.mode & attributes.mode & 0o777)
      await fill(fd, bytes)
      if ('mode' in attributes) {
        giveTo(fd, attributes)
        fchmodSync(fd, attributes.mode)
      } else fchmodSync(fd, stats.mode & 0o7777)
      await fsyncAsync(fd)
    } catch (error) {
      await putBack(fd, old, stats, error)
      throw error
    }
  } finally {
    await closeAsync(fd)
  }
}

/** A file system that is full says so here, with nothing lost. */
async function takeRoom(fd: number, bytes: Uint8Array, oldLength: number): Promise<void> {
  if (bytes.length <= oldLength) return
  try {
    await writeAt(fd, bytes.subarray(oldLength), oldLength)
    await fsyncAsync(fd)
  } catch (error) {
    await ftruncateAsync(fd, oldLength)
    throw error
  }
}

async function fill(fd: number, bytes: Uint8Array): Promise<void> {
  await writeAt(fd, bytes, 0)
  await ftruncateAsync(fd, bytes.length)
}

async function putBack(fd: number, old: Uint8Array, stats: Stats, cause: unknown): Promise<void> {
  try {
    await fill(fd, old)
    fchownSync(fd, stats.uid, stats.gid)
    fchmodSync(fd, stats.mode & 0o7777)
    await fsyncAsync(fd)
  } catch (error) {
    const first = writeFailure(cause, 'it was being written').message
    const second = writeFailure(error, 'its old content could not be put back').message
    throw new InPlaceError(`${first}; ${second}; "driftgate undo" restores it from its copy`)
  }
}

async function writeAt(fd: number, bytes: Uint8Array, start: number): Promise<void> {
  for (let offset = 0; offset < bytes.length;) {
    offset += (await writeAsync(fd, bytes, offset, bytes.length - offset, start + offset)).bytesWritten
  }
}

async function readSource(source: string): Promise<Uint8Array> {
  const fd = await openAsync(answeringPath(source), constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    return await readAll(fd, 0)
  } finally {
    await closeAsync(fd)
  }
}

/** All that a file holds, also where it says that it is empty, as those of /proc do. */
async function readAll(fd: number, expected: number): Promise<Uint8Array> {
  let buffer = Buffer.allocUnsafe(Math.min(expected, LARGEST_BYTES) + 1)
  let length = 0
  for (;;) {
    const { bytesRead } = await readAsync(fd, buffer, length, buffer.length - length, length)
    if (bytesRead === 0) return buffer.subarray(0, length)
    length += bytesRead
    if (length > LARGEST_BYTES) throw new InPlaceError('files of more than 64 MiB are not written in place')
    if (length === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(length)])
  }
}
