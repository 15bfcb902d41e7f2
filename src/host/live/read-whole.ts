import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { answeringPath } from './hanging.ts'
import type { Place } from './place.ts'
import { RefusedFile } from './system-error.ts'

/** Files in /proc report a size of zero, so at least this many bytes are requested. */
const LEAST_CHUNK_BYTES = 64 * 1024

/**
 * Opens a regular file for reading: a pipe does not block, and a terminal does not become the controlling one. Throws a
 * `RefusedFile` for other file types, or the error of the system. `flags` are added to those of open(2).
 */
export function openRegularFile(path: string, flags = 0): number {
  const descriptor = openSync(
    answeringPath(path),
    constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY | flags,
  )
  try {
    const stats = fstatSync(descriptor)
    if (stats.isDirectory()) throw new RefusedFile('it is a directory')
    if (!stats.isFile()) throw new RefusedFile('it is not a regular file')
    return descriptor
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

/**
 * The content of a regular file of at most `maxBytes`. Throws as `openRegularFile` does, and a `RefusedFile` for a
 * larger file.
 */
export function readWhole(path: string, maxBytes: number): Buffer {
  const descriptor = openRegularFile(path)
  try {
    return readDescriptor(descriptor, maxBytes)
  } finally {
    closeSync(descriptor)
  }
}

/** Reads an open place. Only a regular file is ever opened. */
export function readPlace({ stats, handle }: Pick<Place, 'stats' | 'handle'>, maxBytes: number): Buffer {
  if (!stats.isFile()) throw new RefusedFile(stats.isDirectory() ? 'it is a directory' : 'it is not a regular file')
  const descriptor = openSync(handle, 'r')
  try {
    return readDescriptor(descriptor, maxBytes)
  } finally {
    closeSync(descriptor)
  }
}

/** Reads an open file; if it grows meanwhile, no more than the limit is read. */
export function readDescriptor(descriptor: number, maxBytes: number): Buffer {
  const { size } = fstatSync(descriptor)
  refuseLarger(size, maxBytes)
  const chunks: Buffer[] = []
  for (let total = 0; ;) {
    const chunk = Buffer.allocUnsafe(Math.max(size + 1 - total, LEAST_CHUNK_BYTES))
    const length = readSync(descriptor, chunk)
    if (length === 0) return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
    chunks.push(chunk.subarray(0, length))
    total += length
    refuseLarger(total, maxBytes)
  }
}

function refuseLarger(bytes: number, maxBytes: number): void {
  if (bytes > maxBytes) throw new RefusedFile(`it is larger than ${maxBytes} bytes`)
}
