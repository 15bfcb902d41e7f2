import { close, closeSync, constants, fsync, fsyncSync, openSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Place } from './place.ts'
import { errorCode } from './system-error.ts'

const closeAsync = promisify(close)
const fsyncAsync = promisify(fsync)

/** Flushes the entries of a directory, or the content and attributes of a file, to disk. */
export function flush(place: Pick<Place, 'handle'>): void {
  const fd = openToFlush(place)
  if (fd === undefined) return
  try {
    fsyncSync(fd)
  } catch (error) {
    throwUnlessUnsupported(error)
  } finally {
    closeSync(fd)
  }
}

/** Begins to flush; the place may be closed meanwhile. */
export async function beginFlush(place: Pick<Place, 'handle'>): Promise<void> {
  const fd = openToFlush(place)
  if (fd === undefined) return
  try {
    await fsyncAsync(fd)
  } catch (error) {
    throwUnlessUnsupported(error)
  } finally {
    await closeAsync(fd)
  }
}

function openToFlush({ handle }: Pick<Place, 'handle'>): number | undefined {
  try {
    return openSync(handle, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    // A file may be changeable but unreadable; then it cannot be flushed.
    if (errorCode(error) === 'EACCES') return undefined
    throw error
  }
}

/** Some file systems cannot flush directories and return EINVAL. @see fsync(2) */
function throwUnlessUnsupported(error: unknown): void {
  if (errorCode(error) !== 'EINVAL') throw error
}
