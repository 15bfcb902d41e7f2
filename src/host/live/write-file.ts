import { close, constants, fchmodSync, fstatSync, open, read, write } from 'node:fs'
import { basename, dirname } from 'node:path'
import { promisify } from 'node:util'
import type { ApplyOutcome } from '../../model/decision.ts'
import type { DefaultAttributes, FileAttributes, FileContent } from '../remediator.ts'
import { answeringPath } from './hanging.ts'
import { openDirectory } from './open-directory.ts'
import { openReplaced, type ReplacedFile, ReplacementError } from './replaced-file.ts'
import type { Place } from './place.ts'
import type { Site } from './site.ts'
import { giveTo, stageFile } from './staged-file.ts'
import { unreadable, writeFailure } from './system-error.ts'

const openAsync = promisify(open)
const readAsync = promisify(read)
const writeAsync = promisify(write)
const closeAsync = promisify(close)

const CHUNK_BYTES = 1024 * 1024

interface WriteSite extends Site {
  /** Called with the directory once the new file is complete; an error prevents the replacement. */
  readonly beforehand?: (directory: Place) => void
}

/**
 * Creates or replaces a file: a temporary file in its directory gets mode, content and owner, is flushed, and replaces
 * the old one. ACL, extended attributes and capabilities of the old file are kept; a file with several hard links is
 * not replaced. A failure leaves the old file unchanged and no temporary one.
 */
export async function writeFile(
  path: string,
  content: FileContent,
  attributes: FileAttributes | DefaultAttributes,
  { root, journal, beforehand }: WriteSite,
): Promise<ApplyOutcome> {
  const parent = openDirectory(dirname(path), { root })
  if (parent.kind !== 'open') return { kind: 'failed', message: `cannot write ${path}: ${parent.message}` }
  const { directory } = parent
  let replaced: ReplacedFile | undefined
  try {
    replaced = openReplaced(directory, basename(path))
    const mode = 'defaultMode' in attributes ? attributes.defaultMode : undefined
    const staged = await stageFile({ directory, path }, journal, mode)
    try {
      await fill(staged.fd, { content, attributes, replaced })
      beforehand?.(directory)
      await staged.commit()
    } finally {
      await staged.end()
    }
    return { kind: 'done' }
  } catch (error) {
    const attempt = `cannot write ${path}`
    if (error instanceof SourceError || error instanceof ReplacementError)
      return { kind: 'failed', message: `${attempt}: ${error.message}` }
    return writeFailure(error, attempt)
  } finally {
    replaced?.close()
    directory.close()
  }
}

interface Filling {
  readonly content: FileContent
  readonly attributes: FileAttributes | DefaultAttributes
  readonly replaced: ReplacedFile | undefined
}

async function fill(fd: number, { content, attributes, replaced }: Filling): Promise<void> {
  if ('defaultMode' in attributes) return fillWith(fd, content)
  const { mode } = attributes
  // The new content must not be readable by more users than the old one, so the mode is set before anything is written.
  await replaced?.handOn(fd)
  fchmodSync(fd, mode & 0o777)
  await fillWith(fd, content)
  giveTo(fd, attributes)
  // Last: writes and chown clear set-id bits, and a file must not have them before its owner is set.
  if (mode > 0o777) fchmodSync(fd, mode)
  await replaced?.handOnCapabilities(fd)
}

async function fillWith(fd: number, content: FileContent): Promise<void> {
  return content.kind === 'bytes' ? writeAll(fd, content.bytes) : copyFrom(content.source, fd)
}

async function writeAll(fd: number, bytes: Uint8Array): Promise<void> {
  for (let offset = 0; offset < bytes.length;) {
    offset += (await writeAsync(fd, bytes, offset, Math.min(CHUNK_BYTES, bytes.length - offset), null)).bytesWritten
  }
}

/** The source could not be read; the written file is not at fault. */
class SourceError extends Error {
  override readonly name = 'SourceError'
}

function sourceError(error: unknown, source: string): SourceError {
  return new SourceError(`cannot read source ${unreadable(error, source).detail}`)
}

/** Copies a file in chunks. It is opened once, so the copy is consistent even if the name is reused. */
async function copyFrom(source: string, fd: number): Promise<void> {
  const from = await openSource(source)
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    for (;;) {
      const bytesRead = await readSource(from, chunk, source)
      if (bytesRead === 0) return
      await writeAll(fd, chunk.subarray(0, bytesRead))
    }
  } finally {
    await closeAsync(from)
  }
}

async function openSource(source: string): Promise<number> {
  const fd = await openAsync(answeringPath(source), constants.O_RDONLY | constants.O_NONBLOCK).catch(
    (error: unknown) => {
      throw sourceError(error, source)
    },
  )
  if (fstatSync(fd).isFile()) return fd
  await closeAsync(fd)
  throw new SourceError(`source ${source} is not a regular file`)
}

async function readSource(fd: number, chunk: Buffer, source: string): Promise<number> {
  try {
    return (await readAsync(fd, chunk, 0, chunk.length, null)).bytesRead
  } catch (error) {
    throw sourceError(error, source)
  }
}
