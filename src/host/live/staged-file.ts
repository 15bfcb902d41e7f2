import { close, constants, fchownSync, fstatSync, fsync, open, renameSync, unlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { FileAttributes } from '../remediator.ts'
import { flush } from './flush.ts'
import type { Journal } from './journal.ts'
import type { Place } from './place.ts'
import { errorCode } from './system-error.ts'
import { temporaryName } from './temporary-name.ts'

const openAsync = promisify(open)
const fsyncAsync = promisify(fsync)
const closeAsync = promisify(close)

const CREATE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

/** A temporary file that atomically replaces its destination. */
export interface StagedFile {
  readonly fd: number
  /** Flushes the file to disk and renames it. Throws the error of the system. */
  readonly commit: () => Promise<void>
  /** Closes the file, and removes it unless committed. Must be called once. */
  readonly end: () => Promise<void>
}

/** The destination of a file: its open directory, and its path for messages. */
export interface Destination {
  readonly directory: Place
  readonly path: string
}

/**
 * Creates the temporary file, after recording it in the journal. A file that cannot be removed after a failure stays in
 * the journal for the next run. Throws the error of the system.
 */
export async function stageFile(
  { directory, path }: Destination,
  journal: Journal,
  mode: number = 0o600,
): Promise<StagedFile> {
  await journal.beforeStaging?.(directory, dirname(path))
  const name = temporaryName(basename(path))
  const temporary = join(dirname(path), name)
  const discard = (): void => {
    if (isGone(directory.entry(name))) journal.forget(temporary)
  }
  journal.record(temporary)
  const fd = await openAsync(directory.entry(name), CREATE_FLAGS, mode).catch((error: unknown) => {
    discard()
    throw error
  })
  let isOpen = true
  let isCommitted = false
  const closeOnce = async (): Promise<void> => {
    if (!isOpen) return
    isOpen = false
    await closeAsync(fd)
  }
  return {
    fd,
    async commit() {
      await fsyncAsync(fd)
      await closeOnce()
      await journal.beforeReplacing?.()
      renameSync(directory.entry(name), directory.entry(basename(path)))
      isCommitted = true
      journal.forget(temporary)
      flush(directory)
    },
    async end() {
      try {
        await closeOnce()
      } finally {
        if (!isCommitted) discard()
      }
    },
  }
}

/** Changes the owner of an open file, if it differs: chown needs a privilege. */
export function giveTo(fd: number, { uid, gid }: FileAttributes): void {
  const stats = fstatSync(fd)
  if (stats.uid !== uid || stats.gid !== gid) fchownSync(fd, uid, gid)
}

function isGone(temporary: string | Buffer): boolean {
  try {
    unlinkSync(temporary)
    return true
  } catch (error) {
    return errorCode(error) === 'ENOENT'
  }
}
