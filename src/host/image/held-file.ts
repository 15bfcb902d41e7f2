import { closeSync, constants, fstatSync, openSync, read, readSync, type Stats } from 'node:fs'
import { describeStats, isUnchanged } from '../live/file-stat.ts'
import { promisify } from 'node:util'
import { RefusedFile } from '../live/system-error.ts'

const readAsync = promisify(read)

const PIECE_BYTES = 1024 ** 2

/** An open file that must not change while in use: otherwise the data read would not be the data verified. */
export interface HeldFile {
  /** Throws a `RefusedFile` if the bytes no longer exist. */
  readonly read: (at: number, bytes: number) => Buffer
  /** Reads in chunks, each valid until the next one. */
  readonly pieces: (at: number, bytes: number) => AsyncGenerator<Buffer, void, undefined>
  readonly close: () => void
}

export interface Span {
  readonly file: HeldFile
  readonly at: number
  readonly sizeBytes: number
}

/** Opens a regular file. Throws the error of the system, or a `RefusedFile` if it is not a regular file. */
export function openHeldFile(path: string): Span {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
  const opened = fstatSync(fd)
  if (opened.isFile()) return { file: holdFile(fd, opened), at: 0, sizeBytes: opened.size }
  closeSync(fd)
  throw new RefusedFile('it is not a regular file')
}

/** Wraps an open file. Without `opened`, no other process can change it. */
export function holdFile(fd: number, opened?: Stats): HeldFile {
  const check = (bytesRead: number): number => {
    if (
      bytesRead === 0 ||
      (opened !== undefined && !isUnchanged(describeStats(opened), describeStats(fstatSync(fd))))
    ) {
      throw new RefusedFile('the image changed during the scan')
    }
    return bytesRead
  }
  return {
    read(at, bytes) {
      const buffer = Buffer.allocUnsafe(bytes)
      for (let length = 0; length < bytes;) {
        length += check(readSync(fd, buffer, length, bytes - length, at + length))
      }
      return buffer
    },
    async *pieces(at, bytes) {
      // Read ahead: the next chunk is read while the current one is used.
      const buffers = [Buffer.allocUnsafe(PIECE_BYTES), Buffer.allocUnsafe(PIECE_BYTES)] as const
      const end = at + bytes
      const begin = (buffer: Buffer, from: number): Promise<number> =>
        readAsync(fd, buffer, 0, Math.min(buffer.length, end - from), from).then(({ bytesRead }) => check(bytesRead))
      let [using, reading] = buffers
      let position = at
      let next = position < end ? begin(reading, position) : undefined
      while (next !== undefined) {
        const length = await next
        ;[using, reading] = [reading, using]
        position += length
        next = position < end ? begin(reading, position) : undefined
        // The consumer may stop early and leave this promise unhandled.
        next?.catch(() => undefined)
        yield using.subarray(0, length)
      }
    },
    close: () => closeSync(fd),
  }
}
