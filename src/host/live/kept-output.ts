import { randomBytes } from 'node:crypto'
import { closeSync, constants, openSync, readSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW | constants.O_APPEND

const CHUNK_BYTES = 64 * 1024

/** Output of a program that outlives this process: a pipe without a reader would kill it. */
export interface KeptOutput {
  readonly fd: number
  /** Returns the output in chunks, and closes the file. */
  readonly take: (add: (chunk: Buffer) => void) => void
}

/** Opens an unlinked file, which the system removes after the last process closes it. */
export function openKeptOutput(): KeptOutput {
  const path = join(tmpdir(), `driftgate-${randomBytes(8).toString('hex')}`)
  const fd = openSync(path, FLAGS, 0o600)
  unlinkSync(path)
  return {
    fd,
    take(add) {
      for (let position = 0; ;) {
        const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
        const length = readSync(fd, chunk, 0, CHUNK_BYTES, position)
        if (length === 0) break
        add(chunk.subarray(0, length))
        position += length
      }
      closeSync(fd)
    },
  }
}
