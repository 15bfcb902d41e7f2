import { writeSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { errorCode } from './system-error.ts'

/** Pause before retrying a full pipe, in milliseconds. */
const PIPE_PAUSE_MS = 10

/**
 * Writes to a non-blocking descriptor; returns a promise if not all bytes were accepted at once, so that the wait for
 * the reader of a pipe can be interrupted. `complain` makes the error, given the number of bytes written.
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
