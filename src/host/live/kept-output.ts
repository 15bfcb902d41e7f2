import { randomBytes } from 'node:crypto'
import { closeSync, constants, openSync, readSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW | constants.O_APPEND

const CHUNK_BYTES = 64 * 1024

/** Where a program can write that goes on after this process: a pipe without a reader would kill it. */
export interface KeptOutput {
  readonly fd: number
  /** Gives what was written, a chunk at a time, and closes it. */
  readonly take: (add: (chunk: Buffer) => void) => void
}

/** Opens a file without a name, which the system takes away with the last process that has it open. */
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
