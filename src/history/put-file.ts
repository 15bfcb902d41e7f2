import {
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../target/local/system-error.ts'
import { isTemporary, temporaryName } from './file-name.ts'

const CREATE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

// Writing one takes far less than a second, so whoever has left one this long is gone.
const ABANDONED_MS = 3_600_000

/**
 * Puts a file that only its owner can read in place, all at once, and on the disk: whoever is killed meanwhile leaves the
 * old file or the new one. Throws the system's error, and leaves no temporary file then.
 */
export function putFile(directory: string, name: string, content: string | Uint8Array): void {
  const temporary = join(directory, temporaryName(name))
  const descriptor = openSync(temporary, CREATE_FLAGS, 0o600)
  try {
    try {
      writeFileSync(descriptor, content)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(temporary, join(directory, name))
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
  flushDirectory(directory)
}

/** Without this a power failure could take back the name of a file that is complete. */
function flushDirectory(directory: string): void {
  const descriptor = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    fsyncSync(descriptor)
  } catch (error) {
    // Some file systems cannot flush directories and say so with EINVAL. @see fsync(2)
    if (errorCode(error) !== 'EINVAL') throw error
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Removes the temporary files of runs that were killed long ago. `nowMs` is the time as the file system has it; after a
 * change of the clock, files from a future that far away count as left, too.
 */
export function removeAbandoned(directory: string, nowMs: number): void {
  for (const name of readdirSync(directory).filter(isTemporary)) {
    const path = join(directory, name)
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats !== undefined && Math.abs(nowMs - stats.mtimeMs) > ABANDONED_MS) rmSync(path, { force: true })
  }
}
