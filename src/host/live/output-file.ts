import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  statSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { OperatorError } from '../../model/operator-error.ts'
import { systemReason } from '../../model/system-reason.ts'
import { answeringPath } from './hanging.ts'
import { openDirectory } from './open-directory.ts'
import { isOwn } from './own-channel.ts'
import { createFolders, draftFile } from './own-file.ts'
import { followOutputPath } from './output-path.ts'
import { errorCode } from './system-error.ts'
import { removeLeftovers } from './temporary-name.ts'

/** Pause before retrying a full pipe, in milliseconds. */
const PIPE_PAUSE_MS = 10

/** A file that is known to be writable, but not written yet. */
export interface OutputFile {
  readonly path: string
  /** Whether only root and the running user can read the committed file. */
  readonly isPrivate: boolean
  /**
   * Writes the whole content atomically. Throws an `OperatorError` if the disk rejects it. Returns a promise if it has
   * to wait for the reader of a pipe.
   */
  readonly commit: (text: string | Iterable<string>) => Promise<void> | undefined
  /** Starts appending to the file, instead of `commit`. Throws an `OperatorError` on failure. */
  readonly grow: () => GrowingFile
  /** Leaves the path as it was. No effect after `commit` or `grow`. */
  readonly discard: () => void
}

/** A file whose content is visible as it is written. */
export interface GrowingFile {
  /** Whether only root and the running user can read it. */
  readonly isPrivate: boolean
  /**
   * Appends the text completely or not at all. Throws an `OperatorError` if the disk rejects it. Returns a promise if
   * it has to wait for the reader of a pipe; append nothing else before it settles.
   */
  readonly append: (text: string) => Promise<void> | undefined
  /** Throws an `OperatorError` if a part could not be written to disk. Must be called once. */
  readonly close: () => void
}

export interface OutputFileOptions {
  /** Name of the file in messages. */
  readonly what?: string
  /** Its mode, regardless of the umask; by default that of the umask. */
  readonly mode?: number | undefined
}

/**
 * Prepares an output file named by the operator, for a report or `what`: creates its directories and a temporary file
 * beside it, so that an unwritable path is reported before the work starts. A device or pipe (`/dev/stderr`) is written
 * to directly, and links are followed. Throws an `OperatorError`.
 */
export function openOutputFile(path: string, { what = 'report', mode }: OutputFileOptions = {}): OutputFile {
  try {
    answeringPath(path)
    refuseUntrustedLinks(path, what)
    createFolders(dirname(path))
    const cannot: Complain = (cause) => cannotWrite(path, what, cause)
    const place = followOutputPath(path)
    if (place.kind === 'open') return openChannel(path, place.descriptor, cannot)
    const existing = statSync(place.path, { throwIfNoEntry: false })
    if (existing?.isDirectory() === true) throw Object.assign(new Error('is a directory'), { code: 'EISDIR' })
    const isFile = existing === undefined || existing.isFile()
    return { ...(isFile ? replaceableFile(place.path, mode, cannot) : stream(place.path, cannot)), path }
  } catch (error) {
    throw error instanceof OperatorError ? error : cannotWrite(path, what, error)
  }
}

/** As in a fix, links that another user can change are not followed. */
function refuseUntrustedLinks(path: string, what: string): void {
  const opened = openDirectory(resolve(dirname(path)))
  if (opened.kind === 'open') opened.directory.close()
  else if (opened.kind === 'failed') throw new OperatorError(`cannot write the ${what} ${path}: ${opened.message}`)
}

// A pipe without a reader fails instead of blocking, and a terminal does not become the controlling one.
const WRITE_FLAGS = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY

type Complain = (cause: unknown) => OperatorError

function replaceableFile(path: string, mode: number | undefined, cannot: Complain): OutputFile {
  removeLeftovers(dirname(path), basename(path))
  const draft = draftFile(path, { mode })
  const { descriptor, discard } = draft
  return {
    path,
    isPrivate: isOwn(descriptor),
    commit(text) {
      try {
        draft.commit(text)
        return undefined
      } catch (error) {
        throw cannot(error)
      }
    },
    grow() {
      return growingFile(() => {
        if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === true) {
          discard()
          // Truncated rather than replaced, because another process may be following it.
          const existing = openSync(path, WRITE_FLAGS | constants.O_APPEND | constants.O_NOFOLLOW)
          if (mode !== undefined) setMode(existing, mode)
          return existing
        }
        draft.place()
        return descriptor
      }, cannot)
    },
    discard,
  }
}

/** An already open file is neither truncated nor closed. */
function growingFile(open: () => number, cannot: Complain, isShared = false): GrowingFile {
  let descriptor: number
  let isRegular: boolean
  let isPrivate: boolean
  try {
    descriptor = open()
    isRegular = fstatSync(descriptor).isFile()
    isPrivate = isOwn(descriptor)
    if (isRegular && !isShared) ftruncateSync(descriptor)
  } catch (error) {
    throw cannot(error)
  }
  return {
    isPrivate,
    append(text) {
      return writeAll(descriptor, Buffer.from(text), (error, written) => {
        // No line is better than a part of one.
        if (isRegular && written > 0) ftruncateSync(descriptor, fstatSync(descriptor).size - written)
        return cannot(error)
      })
    },
    close() {
      try {
        if (isRegular) fsyncSync(descriptor)
      } catch (error) {
        throw cannot(error)
      } finally {
        if (!isShared) closeSync(descriptor)
      }
    },
  }
}

/** An open descriptor of this process: appends to existing output, as the shell that opened it expects. */
function openChannel(path: string, descriptor: number, cannot: Complain): OutputFile {
  return {
    path,
    isPrivate: isOwn(descriptor),
    commit: (text) => writeAll(descriptor, bytesOf(text), cannot),
    grow: () => growingFile(() => descriptor, cannot, true),
    discard: () => undefined,
  }
}

function stream(path: string, cannot: Complain): OutputFile {
  const descriptor = openSync(path, WRITE_FLAGS | constants.O_TRUNC)
  let isOpen = true
  const discard = (): void => {
    if (isOpen) closeSync(descriptor)
    isOpen = false
  }
  return {
    path,
    isPrivate: isOwn(descriptor),
    commit(text) {
      let rest: Promise<void> | undefined
      try {
        rest = writeAll(descriptor, bytesOf(text), cannot)?.finally(discard)
      } finally {
        if (rest === undefined) discard()
      }
      return rest
    },
    grow() {
      isOpen = false
      return growingFile(() => descriptor, cannot)
    },
    discard,
  }
}

function bytesOf(text: string | Iterable<string>): Buffer {
  return Buffer.from(typeof text === 'string' ? text : [...text].join(''))
}

/** A file of another user keeps its mode, which then determines whether it is private. */
function setMode(descriptor: number, mode: number): void {
  try {
    fchmodSync(descriptor, mode)
  } catch (error) {
    if (errorCode(error) !== 'EPERM') throw error
  }
}

function cannotWrite(path: string, what: string, cause: unknown): OperatorError {
  return new OperatorError(`cannot write the ${what} ${path}: ${systemReason(cause)}`, { cause })
}

/**
 * Writes to a non-blocking descriptor; returns a promise if not all bytes were accepted at once, so that the wait for
 * the reader of a pipe can be interrupted. `complain` makes the error, given the number of bytes written.
 */
function writeAll(
  descriptor: number,
  bytes: Uint8Array,
  complain: (cause: unknown, written: number) => Error,
): Promise<void> | undefined {
  let written = 0
  const writeSome = (): boolean => {
    try {
      while (written < bytes.length) written += writeSync(descriptor, bytes, written)
      return true
    } catch (error) {
      if (errorCode(error) === 'EAGAIN') return false
      throw complain(error, written)
    }
  }
  if (writeSome()) return undefined
  return (async () => {
    while (!writeSome()) await setTimeout(PIPE_PAUSE_MS)
  })()
}
