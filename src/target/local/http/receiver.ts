import { createHash } from 'node:crypto'
import {
  close,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync,
  ftruncateSync,
  open,
  renameSync,
  unlinkSync,
  write,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { FileAttributes } from '../../remediator.ts'
import type { Journal } from '../journal.ts'
import { flush } from '../flush.ts'
import type { Place } from '../place.ts'
import { errorCode } from '../system-error.ts'
import { temporaryName } from '../temporary-name.ts'

const openAsync = promisify(open)
const writeAsync = promisify(write)
const fsyncAsync = promisify(fsync)
const closeAsync = promisify(close)

const CREATE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

/** A file that is received bit by bit under a temporary name and then takes its place in one step. */
export interface Receiver {
  readonly receivedBytes: () => number
  readonly write: (chunk: Uint8Array) => Promise<void>
  /** Throws everything away that was received so far. */
  readonly restart: () => void
  /** Of everything received so far, in hex. */
  readonly sha256: () => string
  /** Puts the file on the disk and into its place. */
  readonly commit: () => Promise<void>
  /** Closes the file, and takes it away unless it was committed. */
  readonly end: () => Promise<void>
}

/** Creates the temporary file in the directory; owner and mode are set before anything is written to it. */
export async function openReceiver(
  directory: Place,
  path: string,
  attributes: FileAttributes,
  journal: Journal,
): Promise<Receiver> {
  const name = temporaryName(basename(path))
  const temporary = join(dirname(path), name)
  journal.record(temporary)
  const fd = await create(directory.entry(name), attributes).catch((error: unknown) => {
    discard()
    throw error
  })
  let digest = createHash('sha256')
  let received = 0
  let isCommitted = false

  function discard(): void {
    if (removeFile(directory.entry(name))) journal.forget(temporary)
  }

  return {
    receivedBytes: () => received,
    async write(chunk) {
      for (let offset = 0; offset < chunk.length;) {
        offset += (await writeAsync(fd, chunk, offset, chunk.length - offset, received + offset)).bytesWritten
      }
      digest.update(chunk)
      received += chunk.length
    },
    restart() {
      ftruncateSync(fd, 0)
      digest = createHash('sha256')
      received = 0
    },
    sha256: () => digest.copy().digest('hex'),
    async commit() {
      await fsyncAsync(fd)
      renameSync(directory.entry(name), directory.entry(basename(path)))
      isCommitted = true
      journal.forget(temporary)
      flush(directory)
    },
    async end() {
      await closeAsync(fd)
      if (!isCommitted) discard()
    },
  }
}

async function create(temporary: string | Buffer, { uid, gid, mode }: FileAttributes): Promise<number> {
  const fd = await openAsync(temporary, CREATE_FLAGS, 0o600)
  try {
    const stats = fstatSync(fd)
    // Changing the owner needs a privilege, so it is left alone where it is right already.
    if (stats.uid !== uid || stats.gid !== gid) fchownSync(fd, uid, gid)
    fchmodSync(fd, mode)
    return fd
  } catch (error) {
    await closeAsync(fd)
    throw error
  }
}

/** Whether the file is gone. What cannot be removed now stays in the journal for the next run. */
function removeFile(path: string | Buffer): boolean {
  try {
    unlinkSync(path)
    return true
  } catch (error) {
    return errorCode(error) === 'ENOENT'
  }
}
