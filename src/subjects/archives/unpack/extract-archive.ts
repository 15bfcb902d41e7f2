import { createHash } from 'node:crypto'
import { chmodSync, close, constants, fstatSync, open } from 'node:fs'
import { describeStats, isUnchanged } from '../../../host/live/file-stat.ts'
import { promisify } from 'node:util'
import type { ApplyOutcome } from '../../../model/decision.ts'
import type { ArchiveFormat } from '../../../host/archive/archive-format.ts'
import { openDirectory } from '../../../host/live/open-directory.ts'
import { answeringPath } from '../../../host/live/hanging.ts'
import { openRoot, type Place } from '../../../host/live/place.ts'
import type { OpenRoot } from '../../../host/live/site.ts'
import { errorCode, unreadable, writeFailure } from '../../../host/live/system-error.ts'
import { follow } from '../../../host/live/walk.ts'
import { ArchiveError } from '../../../host/archive/archive-error.ts'
import { type ArchiveLimits, createArchiveMeter, DEFAULT_ARCHIVE_LIMITS } from '../../../host/archive/archive-limits.ts'
import { chunksOf } from './chunks-of.ts'
import { withChild } from './descend.ts'
import { type ClosedDirectory, openStage } from './stage.ts'

const openAsync = promisify(open)
const closeAsync = promisify(close)

// Opening a fifo must not block.
const READ_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY

export interface ExtractOptions {
  readonly format: ArchiveFormat
  readonly limits?: Partial<ArchiveLimits>
  /** Required sha256 in hex, verified before unpacking. */
  readonly sha256?: string
  readonly signal?: AbortSignal
  /** Root of the archive path; the root of this machine if absent. */
  readonly root?: OpenRoot
}

/**
 * Unpacks an archive into an existing empty directory that no other user can write to. Never writes outside it: entries that
 * could escape, devices, fifos, duplicate names and archives beyond the limits are refused. After a failure the directory holds a
 * partial archive and should be removed. Keeps permission bits and the sticky bit of directories, drops set-id bits; the running
 * user owns all files.
 */
export async function extractArchive(
  archive: string,
  directory: string,
  options: ExtractOptions,
): Promise<ApplyOutcome> {
  const attempt = `cannot extract ${archive}`
  const opened = openDirectory(directory)
  if (opened.kind !== 'open') return { kind: 'failed', message: `${attempt}: ${opened.message}` }
  try {
    setClosedModes(opened.directory, await unpackInto(archive, opened.directory, options))
    return { kind: 'done' }
  } catch (error) {
    return extractFailure(error, attempt)
  } finally {
    opened.directory.close()
  }
}

/** Like `extractArchive`, but throws, and leaves modes that lock out the owner to the caller. */
export async function unpackInto(
  archive: string,
  directory: Place,
  { format, limits, sha256, signal = new AbortController().signal, root = openRoot }: ExtractOptions,
): Promise<readonly ClosedDirectory[]> {
  const fd = await openArchive(archive, root)
  try {
    const before = fstatSync(fd)
    if (sha256 !== undefined) await verify(fd, sha256, signal)
    const meter = createArchiveMeter({ ...DEFAULT_ARCHIVE_LIMITS, ...limits }, before.size)
    const stage = openStage(directory, meter)
    try {
      // Each library is loaded only for an archive of its format.
      if (format === 'zip') await (await import('./read-zip.ts')).readZip({ fd, stage, meter, signal })
      else await (await import('./read-tar.ts')).readTar({ fd, stage, meter, signal })
    } finally {
      stage.close()
    }
    if (!isUnchanged(describeStats(before), describeStats(fstatSync(fd))))
      throw new ArchiveError('the archive changed while it was read')
    return stage.closedDirectories()
  } finally {
    await closeAsync(fd)
  }
}

/** Sets directory modes that lock out the owner, deepest first so that all directories stay reachable. */
export function setClosedModes(root: Place, directories: readonly ClosedDirectory[]): void {
  const deepestFirst = directories.toSorted((left, right) => right.components.length - left.components.length)
  for (const { components, mode } of deepestFirst) {
    withChild(root, components, (place) => chmodSync(place.handle, mode))
  }
}

/** Failure message of an extraction. Rethrows internal errors. */
export function extractFailure(error: unknown, attempt: string): ApplyOutcome {
  if (error instanceof ArchiveError) return { kind: 'failed', message: `${attempt}: ${error.message}` }
  if (error instanceof Error && error.name === 'AbortError') {
    return { kind: 'failed', message: `${attempt}: interrupted` }
  }
  return writeFailure(error, attempt)
}

async function openArchive(path: string, root: OpenRoot): Promise<number> {
  try {
    answeringPath(path)
    const place = follow(root, path)
    try {
      if (!place.stats.isFile()) throw new ArchiveError('the archive is not a regular file')
      return await openAsync(place.handle, READ_FLAGS)
    } finally {
      place.close()
    }
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    throw new ArchiveError(`cannot read the archive: ${unreadable(error, path).detail}`)
  }
}

async function verify(fd: number, sha256: string, signal: AbortSignal): Promise<void> {
  const digest = createHash('sha256')
  for await (const chunk of chunksOf(fd)) {
    signal.throwIfAborted()
    digest.update(chunk)
  }
  const found = digest.digest('hex')
  if (found === sha256.toLowerCase()) return
  throw new ArchiveError(`checksum mismatch, expected "${sha256.toLowerCase()}" got "${found}"`)
}
