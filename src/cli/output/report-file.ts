import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { answeringPath } from '../../target/local/hanging.ts'
import { errorCode } from '../../target/local/system-error.ts'
import { OperatorError } from '../../core/operator-error.ts'
import { systemReason } from '../../core/system-reason.ts'
import { isOwn } from './own-channel.ts'
import { writeAll } from './write-all.ts'

/** A file that is known to be writable, but not there yet. */
export interface ReportFile {
  readonly path: string
  /** Whether nobody but root and the running user can read what is committed. */
  readonly isPrivate: boolean
  /**
   * Makes the text the content of the file, all at once. Throws an `OperatorError` if the disk does not take it. Gives a
   * promise where the reader of a pipe is to be waited for.
   */
  readonly commit: (text: string) => Promise<void> | undefined
  /** Begins a content that grows in place, instead of `commit`. Throws an `OperatorError` if it cannot. */
  readonly grow: () => GrowingFile
  /** Leaves the path as it was. Harmless after `commit` or `grow`. */
  readonly discard: () => void
}

/** A file that shows its content as it comes. */
export interface GrowingFile {
  /** Whether nobody but root and the running user can read it. */
  readonly isPrivate: boolean
  /**
   * Adds the text as a whole or not at all. Throws an `OperatorError` if the disk does not take it. Gives a promise where
   * the reader of a pipe is to be waited for; nothing else may be added before it is kept.
   */
  readonly append: (text: string) => Promise<void> | undefined
  /** Throws an `OperatorError` if the disk has not taken all of it. Must be called once. */
  readonly close: () => void
}

/** How a file is made. */
export interface ReportFileOptions {
  /** What messages call it. */
  readonly what?: string
  /** The permissions it gets, whatever the umask is; those the umask leaves where it is absent. */
  readonly mode?: number | undefined
}

/**
 * Prepares a file for a report, or for whatever `what` says: creates its folders and a temporary file beside it, so that a path that cannot be written is
 * known before the work starts. A device or pipe (`/dev/stderr`) is written to directly. Throws an `OperatorError`.
 */
export function openReportFile(path: string, { what = 'report', mode }: ReportFileOptions = {}): ReportFile {
  try {
    answeringPath(path)
    createFolders(dirname(path))
    const existing = statSync(path, { throwIfNoEntry: false })
    if (existing?.isDirectory() === true) throw Object.assign(new Error('is a directory'), { code: 'EISDIR' })
    const cannot: Complain = (cause) => cannotWrite(path, what, cause)
    return existing === undefined || existing.isFile() ? replaceableFile(path, mode, cannot) : stream(path, cannot)
  } catch (error) {
    throw cannotWrite(path, what, error)
  }
}

// A pipe that nobody reads says so instead of keeping us waiting, and no terminal becomes the controlling one.
const WRITE_FLAGS = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY

type Complain = (cause: unknown) => OperatorError

/** Creates a folder with those it lies in. One after the other: Node's recursive mkdir never returns below a directory like /proc that refuses with ENOENT. */
export function createFolders(folder: string): void {
  const missing: string[] = []
  for (let at = folder; !existsSync(at); at = dirname(at)) missing.unshift(at)
  for (const directory of missing) {
    try {
      mkdirSync(directory)
    } catch (error) {
      // Another scan may have been faster.
      if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) throw error
    }
  }
}

/** What is to be removed if the process ends before it is done. */
const unfinished = new Set<() => void>()

/** One listener for all: Node takes many for a leak, and says so. */
function discardAtExit(discard: () => void): void {
  if (unfinished.size === 0) process.on('exit', discardUnfinished)
  unfinished.add(discard)
}

function finished(discard: () => void): void {
  unfinished.delete(discard)
  if (unfinished.size === 0) process.removeListener('exit', discardUnfinished)
}

function discardUnfinished(): void {
  for (const discard of unfinished) discard()
}

function replaceableFile(path: string, mode: number | undefined, cannot: Complain): ReportFile {
  const temporary = join(dirname(path), `.driftgate-${randomBytes(4).toString('hex')}.tmp`)
  const descriptor = openSync(temporary, 'wx', mode)
  if (mode !== undefined) fchmodSync(descriptor, mode)
  let isPending = true
  const keep = (): void => {
    isPending = false
    finished(discard)
  }
  const discard = (): void => {
    if (!isPending) return
    keep()
    closeSync(descriptor)
    rmSync(temporary, { force: true })
  }
  discardAtExit(discard)
  return {
    path,
    isPrivate: isOwn(descriptor),
    commit(text) {
      try {
        writeFileSync(descriptor, text)
        fsyncSync(descriptor)
        renameSync(temporary, path)
        return undefined
      } catch (error) {
        throw cannot(error)
      } finally {
        discard()
      }
    },
    grow() {
      return growingFile(() => {
        if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === true) {
          discard()
          // Emptied and not replaced, because somebody may be following it.
          const existing = openSync(path, WRITE_FLAGS | constants.O_APPEND | constants.O_NOFOLLOW)
          if (mode !== undefined) setMode(existing, mode)
          return existing
        }
        renameSync(temporary, path)
        keep()
        return descriptor
      }, cannot)
    },
    discard,
  }
}

function growingFile(open: () => number, cannot: Complain): GrowingFile {
  let descriptor: number
  let isRegular: boolean
  let isPrivate: boolean
  try {
    descriptor = open()
    isRegular = fstatSync(descriptor).isFile()
    isPrivate = isOwn(descriptor)
    if (isRegular) ftruncateSync(descriptor)
  } catch (error) {
    throw cannot(error)
  }
  return {
    isPrivate,
    append(text) {
      return writeAll(descriptor, Buffer.from(text), (error, written) => {
        // A part of a line would be worse than none.
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
        closeSync(descriptor)
      }
    },
  }
}

function stream(path: string, cannot: Complain): ReportFile {
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
        rest = writeAll(descriptor, Buffer.from(text), cannot)?.finally(discard)
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

/** The file of somebody else keeps its mode. What goes into it is chosen by what it has then. */
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
