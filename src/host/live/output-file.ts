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
} from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { OperatorError } from '../../model/operator-error.ts'
import { systemReason } from '../../model/system-reason.ts'
import { answeringPath } from './hanging.ts'
import { openDirectory } from './open-directory.ts'
import { isOwn } from './own-channel.ts'
import { createFolders, draftFile } from './own-file.ts'
import { followOutputPath } from './output-path.ts'
import { errorCode } from './system-error.ts'
import { removeLeftovers } from './temporary-name.ts'
import { writeAll } from './write-all.ts'

/** A file that is known to be writable, but not there yet. */
export interface OutputFile {
  readonly path: string
  /** Whether only root and the running user can read what is committed. */
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
  /** Whether only root and the running user can read it. */
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
export interface OutputFileOptions {
  /** What messages call it. */
  readonly what?: string
  /** The permissions it gets, with any umask; those the umask leaves where it is absent. */
  readonly mode?: number | undefined
}

/**
 * Prepares a file that the operator names, for a report or what `what` says: creates its folders and a temporary file
 * beside it, so that a path that cannot be written is known before the work starts. A device or pipe (`/dev/stderr`) is written to directly,
 * and what a link leads to is written, not the link. Throws an `OperatorError`.
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

/** As for a fix: what another user can lead elsewhere is not written through. */
function refuseUntrustedLinks(path: string, what: string): void {
  const opened = openDirectory(resolve(dirname(path)))
  if (opened.kind === 'open') opened.directory.close()
  else if (opened.kind === 'failed') throw new OperatorError(`cannot write the ${what} ${path}: ${opened.message}`)
}

// A pipe without a reader says so instead of blocking, and no terminal becomes the controlling one.
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
          // Emptied and not replaced, because another process may be following it.
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

/** Of a file that is open already, what is there stays, and so does the descriptor. */
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
        if (!isShared) closeSync(descriptor)
      }
    },
  }
}

/** What this process has open: written behind what is there, as the shell that opened it means it. */
function openChannel(path: string, descriptor: number, cannot: Complain): OutputFile {
  return {
    path,
    isPrivate: isOwn(descriptor),
    commit: (text) => writeAll(descriptor, Buffer.from(text), cannot),
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

/** The file of another user keeps its mode. What goes into it is chosen by what it has then. */
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
