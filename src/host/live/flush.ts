import { closeSync, constants, fsyncSync, openSync } from 'node:fs'
import type { Place } from './place.ts'
import { errorCode } from './system-error.ts'

/** Flushes the entries of a directory, or the attributes of a file, to disk. */
export function flush({ handle }: Pick<Place, 'handle'>): void {
  let fd: number
  try {
    fd = openSync(handle, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    // A file may be changeable but unreadable; then it cannot be flushed.
    if (errorCode(error) === 'EACCES') return
    throw error
  }
  try {
    fsyncSync(fd)
  } catch (error) {
    // Some file systems cannot flush directories and return EINVAL. @see fsync(2)
    if (errorCode(error) !== 'EINVAL') throw error
  } finally {
    closeSync(fd)
  }
}
