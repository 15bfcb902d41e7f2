import { closeSync, constants, fsyncSync, openSync } from 'node:fs'
import type { Place } from './place.ts'
import { errorCode } from './system-error.ts'

/**
 * Writes a directory's entries, or the attributes of anything else, to the disk, so that they survive a power failure.
 */
export function flush({ handle }: Pick<Place, 'handle'>): void {
  let fd: number
  try {
    fd = openSync(handle, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    // One may change a thing without being allowed to read it; there is no other way to flush it then.
    if (errorCode(error) === 'EACCES') return
    throw error
  }
  try {
    fsyncSync(fd)
  } catch (error) {
    // Some file systems cannot flush directories and say so with EINVAL. @see fsync(2)
    if (errorCode(error) !== 'EINVAL') throw error
  } finally {
    closeSync(fd)
  }
}
