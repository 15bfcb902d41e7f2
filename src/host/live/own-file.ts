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

/** How a file of ours is made. */
export interface OwnFileOptions {
  /** The permissions it gets, with any umask; those the umask leaves where it is absent. */
  readonly mode?: number | undefined
}

/**
 * A file under a temporary name beside its path. A kill meanwhile leaves at the path what was there or all that
 * was to come; a process that ends otherwise leaves no temporary file.
 */
export interface DraftFile {
  readonly descriptor: number
  /**
   * Puts the content on the disk and in place, and closes the file. Throws the system's error, and leaves no temporary file
   * then.
   */
  readonly commit: (content: string | Uint8Array) => void
  /** Puts the file in place as it is, for a content that grows there. It stays open. Throws the system's error. */
  readonly place: () => void
  /** Leaves the path as it was. Harmless after `commit` or `place`. */
  readonly discard: () => void
}

const CREATE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

/** Writes a file of driftgate's own, or its operator's, all at once. Throws the system's error. */
export function replaceFile(path: string, content: string | Uint8Array, options: OwnFileOptions = {}): void {
  draftFile(path, options).commit(content)
}

/** Starts a file that takes its place later, so that a path that cannot be written is known before. Throws the system's error. */
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
        writeFileSync(descriptor, content)
        fsyncSync(descriptor)
        place()
      })
      closeSync(descriptor)
      // Without this a power failure could take back the name of a file that is complete.
      flush({ handle: dirname(path) })
    },
    place,
    discard,
  }
}

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
