import { closeSync, constants, fchmodSync, fchownSync, fsyncSync, ftruncateSync, openSync, type Stats } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { ApplyOutcome } from '../../model/decision.ts'
import type { Capabilities } from '../capabilities.ts'
import type { DefaultAttributes, FileAttributes, FileContent } from '../remediator.ts'
import { setAccess } from './access/change.ts'
import { openAccessReader } from './access/reader.ts'
import { plantedLinkProblem } from './hard-links.ts'
import { openDirectory } from './open-directory.ts'
import { openRoot, type Place } from './place.ts'
import { readDescriptor, readWhole } from './read-whole.ts'
import { giveTo } from './staged-file.ts'
import type { Site } from './site.ts'
import { RefusedFile, unreadable, writeFailure } from './system-error.ts'
import { writeWhole } from './write-whole.ts'

const EXECUTE_BITS = 0o111

/** Both contents are in memory, so that the old one can be restored. */
const LARGEST_BYTES = 64 * 1024 * 1024

/**
 * Overwrites a regular file in place: inode and hard links are kept, and a mount point can be written. This is not
 * atomic: readers may see partial content, and a kill leaves it. Therefore space is allocated before the old content is
 * touched, and after a failure the old content, owner and mode are restored. Links are not followed.
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
      const problem = place.stats.isFile() ? plantedLinkProblem(place, parent.directory) : 'it is not a regular file'
      if (problem !== undefined) throw new RefusedFile(problem)
      const capabilities = await capabilitiesOf(place, path, root)
      rewrite(place, content, attributes)
      return capabilities === undefined ? { kind: 'done' } : setAccess(path, { capabilities }, root)
    } finally {
      place.close()
    }
  } catch (error) {
    return writeFailure(error, attempt)
  } finally {
    parent.directory.close()
  }
}

/** The capabilities that a write clears and only root can set again. */
async function capabilitiesOf({ stats }: Place, path: string, root: Site['root']): Promise<Capabilities | undefined> {
  if ((stats.mode & EXECUTE_BITS) === 0 || process.geteuid?.() !== 0) return undefined
  // The helper program needs a path of this machine.
  if (root !== openRoot) throw new RefusedFile('it is a program, whose capabilities cannot be kept below a root')
  const [seen] = await openAccessReader().beyondMode([path])
  if (seen?.kind !== 'known') throw new RefusedFile(`cannot read its capabilities: ${seen?.detail ?? 'no output'}`)
  return seen.value.capabilities
}

function rewrite({ handle, stats }: Place, content: FileContent, attributes: FileAttributes | DefaultAttributes): void {
  const bytes = content.kind === 'bytes' ? content.bytes : readSource(content.source)
  const fd = openSync(handle, constants.O_RDWR | constants.O_NONBLOCK)
  try {
    const old = readDescriptor(fd, LARGEST_BYTES)
    takeRoom(fd, bytes, old.length)
    try {
      // Meanwhile only users who may read both contents can read the file.
      if ('mode' in attributes) fchmodSync(fd, stats.mode & attributes.mode & 0o777)
      fill(fd, bytes)
      if ('mode' in attributes) giveTo(fd, attributes)
      fchmodSync(fd, 'mode' in attributes ? attributes.mode : stats.mode & 0o7777)
      fsyncSync(fd)
    } catch (error) {
      putBack(fd, old, stats, error)
      throw error
    }
  } finally {
    closeSync(fd)
  }
}

function readSource(source: string): Uint8Array {
  try {
    return readWhole(source, LARGEST_BYTES)
  } catch (error) {
    throw new RefusedFile(`cannot read source ${unreadable(error, source).detail}`)
  }
}

/** Fails here if the file system is full, without loss of data. */
function takeRoom(fd: number, bytes: Uint8Array, oldLength: number): void {
  if (bytes.length <= oldLength) return
  try {
    writeWhole(fd, bytes.subarray(oldLength), oldLength)
    fsyncSync(fd)
  } catch (error) {
    ftruncateSync(fd, oldLength)
    throw error
  }
}

function fill(fd: number, bytes: Uint8Array): void {
  writeWhole(fd, bytes, 0)
  ftruncateSync(fd, bytes.length)
}

function putBack(fd: number, old: Uint8Array, stats: Stats, cause: unknown): void {
  try {
    fill(fd, old)
    fchownSync(fd, stats.uid, stats.gid)
    fchmodSync(fd, stats.mode & 0o7777)
    fsyncSync(fd)
  } catch (error) {
    const first = writeFailure(cause, 'it was being written').message
    const second = writeFailure(error, 'its old content could not be restored').message
    throw new RefusedFile(`${first}; ${second}; "driftgate undo" restores it from its copy`)
  }
}
