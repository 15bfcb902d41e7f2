import { writeSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { errorCode } from './system-error.ts'

/** How long a full pipe is left alone before it is asked again, in milliseconds. */
const PIPE_PAUSE_MS = 10

/**
 * Writes to a descriptor that does not block, and gives a promise where not all was taken at once: the rest waits for the
 * reader of the pipe here and not in the system, where nothing could end the wait. `complain` makes the error that says why
 * it failed after so many bytes.
 */
export function writeAll(
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
