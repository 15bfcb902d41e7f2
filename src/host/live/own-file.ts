import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { endWithUs } from './end-with-us.ts'
import { flush } from './flush.ts'
import { temporaryName } from './temporary-name.ts'

export interface OwnFileOptions {
  /** Its mode, regardless of the umask; by default that of the umask. */
  readonly mode?: number | undefined
}

/**
 * A temporary file beside its path. If the process is killed, the path has either the old or the complete new content;
 * any other end of the process removes the temporary file.
 */
export interface DraftFile {
  readonly descriptor: number
  /**
   * Flushes the content to disk, renames the file into place and closes it. Throws the error of the system, after
   * removing the temporary file.
   */
  readonly commit: (content: string | Uint8Array | Iterable<string>) => void
  /** Renames the file into place for content that is appended later. It stays open. Throws the error of the system. */
  readonly place: () => void
  /** Leaves the path as it was. No effect after `commit` or `place`. */
  readonly discard: () => void
}

const CREATE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

/** Writes a file of driftgate or its operator atomically. Throws the error of the system. */
export function replaceFile(path: string, content: string | Uint8Array, options: OwnFileOptions = {}): void {
  draftFile(path, options).commit(content)
}

/** Starts a file that is renamed into place later, so that an unwritable path is known before. Throws the error of the system. */
export function draftFile(path: string, { mode }: OwnFileOptions = {}): DraftFile {
  const temporary = join(dirname(path), temporaryName(basename(path)))
  const descriptor = openSync(temporary, CREATE_FLAGS, mode)
  let isPending = true
  const discard = (): void => {
    if (!isPending) return
    settle()
    closeSync(descriptor)
    rmSync(temporary, { force: true })
  }
  const stayOn = endWithUs(discard)
  const settle = (): void => {
    isPending = false
    stayOn()
  }
  const place = (): void => {
    renameSync(temporary, path)
    settle()
  }
  const orDiscard = (step: () => void): void => {
    try {
      step()
    } catch (error) {
      discard()
      throw error
    }
  }
  orDiscard(() => {
    if (mode !== undefined) fchmodSync(descriptor, mode)
  })
  return {
    descriptor,
    commit(content) {
      orDiscard(() => {
        const isWhole = typeof content === 'string' || content instanceof Uint8Array
        for (const piece of isWhole ? [content] : content) writeFileSync(descriptor, piece)
        fsyncSync(descriptor)
        place()
      })
      closeSync(descriptor)
      // Without this, a power failure could lose the rename of a complete file.
      flush({ handle: dirname(path) })
    },
    place,
    discard,
  }
}

/**
 * Creates a directory and its parents one by one: Node's recursive mkdir never returns below a directory such as /proc
 * that fails with ENOENT.
 */
export function createFolders(folder: string): void {
  const missing: string[] = []
  for (let at = folder; !existsSync(at); at = dirname(at)) missing.unshift(at)
  for (const directory of missing) {
    try {
      mkdirSync(directory)
    } catch (error) {
      // Another scan may have created it.
      if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) throw error
    }
  }
}
