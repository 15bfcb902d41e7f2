import { createHash, hash } from 'node:crypto'
import { closeSync, constants, fstatSync, opendirSync, openSync, read, readSync } from 'node:fs'
import { promisify } from 'node:util'
import type { ContentDigest } from '../../model/drift.ts'
import { known, type Reading, type Unknown, unknown } from '../../model/observation.ts'
import type { FileStat } from '../target.ts'
import { describeStats, isUnchanged } from './file-stat.ts'
import { answeringPath } from './hanging.ts'
import { errorCode, unreadable } from './system-error.ts'

/** Files up to this size are read synchronously, larger ones asynchronously in chunks of this size. */
const CHUNK_BYTES = 1024 * 1024

const ATTEMPTS = 5

/** Time limit in milliseconds: a sparse file may have more bytes than can be read in a day. */
const LONGEST_READ_MS = 10 * 60_000

// Limit for files that grow while they are read.
const GROWTH_BYTES = 64 * CHUNK_BYTES

// Only regular files are read. If a fifo or terminal replaces the file meanwhile, opening it must neither block nor
// make it the controlling terminal.
const READ_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY

// Missing in Node's constants; the same number on every Linux that Node runs on.
const O_PATH = 0x200000

const readAsync = promisify(read)

// Allocated once: a new megabyte for every small file would cost more than reading it.
let sharedBuffer: Buffer | undefined

/**
 * sha256 and size of the regular file described by `stat`; synchronous for small files. If the file changes while it is
 * read, reading is repeated; after some attempts it is not observable.
 */
export function readDigest(
  path: string,
  stat: FileStat,
  signal?: AbortSignal,
): Reading<ContentDigest> | Promise<Reading<ContentDigest>> {
  return stat.sizeBytes > CHUNK_BYTES ? digestLarge(path, stat, signal) : digestSmall(path, stat, signal)
}

function digestSmall(
  path: string,
  first: FileStat,
  signal: AbortSignal | undefined,
): Reading<ContentDigest> | Promise<Reading<ContentDigest>> {
  let expected = first
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const outcome = withFile(path, (fd): Reading<ContentDigest> | FileStat => {
      const bytes = readUpTo(fd, CHUNK_BYTES + 1, expected.sizeBytes)
      const after = describeStats(fstatSync(fd))
      if (!isUnchanged(expected, after) || bytes.length > CHUNK_BYTES) return after
      return known({ sha256: hash('sha256', bytes, 'hex'), sizeBytes: bytes.length })
    })
    if ('value' in outcome || outcome.kind === 'unknown') return outcome
    if (outcome.kind !== 'file') return changedWhileRead(path)
    // It has grown, or it is a file in /proc, whose size is always zero.
    if (outcome.sizeBytes > CHUNK_BYTES || isUnchanged(expected, outcome)) return digestLarge(path, outcome, signal)
    expected = outcome
  }
  return changedWhileRead(path)
}

async function digestLarge(
  path: string,
  first: FileStat,
  signal: AbortSignal | undefined,
): Promise<Reading<ContentDigest>> {
  let expected = first
  const giveUpAt = performance.now() + LONGEST_READ_MS
  const checkTime = (): Unknown | undefined => {
    if (signal?.aborted === true) return unknown('not-observable', `${path}: the run was interrupted while reading it`)
    if (performance.now() <= giveUpAt) return undefined
    return unknown(
      'timeout',
      `${path}: reading ${expected.sizeBytes} bytes timed out after ${LONGEST_READ_MS / 60_000} minutes`,
    )
  }
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const outcome = await digestOnce(path, expected, checkTime)
    if ('value' in outcome || outcome.kind === 'unknown') return outcome
    if (outcome.kind !== 'file') return changedWhileRead(path)
    expected = outcome
  }
  return changedWhileRead(path)
}

async function digestOnce(
  path: string,
  expected: FileStat,
  checkTime: () => Unknown | undefined,
): Promise<Reading<ContentDigest> | FileStat> {
  let fd: number | undefined
  try {
    fd = openRegular(path)
    const digest = createHash('sha256')
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    let sizeBytes = 0
    for (;;) {
      const { bytesRead } = await readAsync(fd, chunk, 0, CHUNK_BYTES, null)
      if (bytesRead === 0) break
      digest.update(chunk.subarray(0, bytesRead))
      sizeBytes += bytesRead
      if (sizeBytes > expected.sizeBytes + GROWTH_BYTES) return changedWhileRead(path)
      const over = checkTime()
      if (over !== undefined) return over
    }
    const after = describeStats(fstatSync(fd))
    return isUnchanged(expected, after) ? known({ sha256: digest.digest('hex'), sizeBytes }) : after
  } catch (error) {
    return unreadable(error, path)
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

export function readFileHead(path: string, maxBytes: number): Reading<Uint8Array> {
  return withFile(path, (fd) => {
    if (!fstatSync(fd).isFile()) return unknown('not-observable', `${path}: not a regular file`)
    return known(Uint8Array.from(readUpTo(fd, maxBytes, 0)))
  })
}

export function readDirectoryEmpty(path: string): Reading<boolean> {
  try {
    const directory = opendirSync(answeringPath(path), { bufferSize: 1 })
    try {
      return known(directory.readSync() === null)
    } finally {
      directory.closeSync()
    }
  } catch (error) {
    return unreadable(error, path)
  }
}

function withFile<T>(path: string, use: (fd: number) => T): T | ReturnType<typeof unreadable> {
  try {
    const fd = openRegular(path)
    try {
      return use(fd)
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    return unreadable(error, path)
  }
}

/** Opens a regular file for reading. A link is followed only after verifying that its target is a regular file. */
function openRegular(name: string): number {
  const path = answeringPath(name)
  try {
    return openSync(path, READ_FLAGS | constants.O_NOFOLLOW)
  } catch (error) {
    // O_NOFOLLOW on a link gives ELOOP; on BSD, EMLINK.
    if (errorCode(error) !== 'ELOOP' && errorCode(error) !== 'EMLINK') throw error
  }
  if (process.platform !== 'linux') return openSync(path, READ_FLAGS)
  const handle = openSync(path, O_PATH)
  try {
    const target = `/proc/self/fd/${handle}`
    if (!fstatSync(handle).isFile())
      throw Object.assign(new Error('not a regular file'), { code: 'EINVAL', errno: -22 })
    return openSync(target, READ_FLAGS)
  } finally {
    closeSync(handle)
  }
}

/** Reads to the end of the file or to the limit. The view is valid only until the next read. */
function readUpTo(fd: number, maxBytes: number, expectedBytes: number): Buffer {
  sharedBuffer ??= Buffer.allocUnsafe(CHUNK_BYTES + 1)
  const buffer = maxBytes <= sharedBuffer.length ? sharedBuffer : Buffer.allocUnsafe(maxBytes)
  let length = 0
  for (;;) {
    const bytesRead = readSync(fd, buffer, length, maxBytes - length, null)
    length += bytesRead
    // The described size is the end, unless it is zero as in /proc.
    if (bytesRead === 0 || length === maxBytes || (length === expectedBytes && length > 0)) break
  }
  return buffer.subarray(0, length)
}

function changedWhileRead(path: string): ReturnType<typeof unknown> {
  return unknown('not-observable', `${path}: kept changing while being read`)
}
