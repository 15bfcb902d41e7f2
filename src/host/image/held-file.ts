import { closeSync, constants, fstatSync, openSync, read, readSync, type Stats } from 'node:fs'
import { describeStats, isUnchanged } from '../live/file-stat.ts'
import { promisify } from 'node:util'
import { RefusedFile } from '../live/system-error.ts'

const readAsync = promisify(read)

const PIECE_BYTES = 1024 ** 2

/** An open file that must not change while it is used: what was verified of it would not be what is read. */
export interface HeldFile {
  /** Bytes from that one on. Throws a `RefusedFile` where they are not there any more. */
  readonly read: (at: number, bytes: number) => Buffer
  /** The same in pieces, of which each is valid until the next one. */
  readonly pieces: (at: number, bytes: number) => AsyncGenerator<Buffer, void, undefined>
  readonly close: () => void
}

/** A part of a file. */
export interface Span {
  readonly file: HeldFile
  readonly at: number
  readonly sizeBytes: number
}

/** Opens all of a regular file. Throws what the system says, and a `RefusedFile` for what is no regular file. */
export function openHeldFile(path: string): Span {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
  const opened = fstatSync(fd)
  if (opened.isFile()) return { file: holdFile(fd, opened), at: 0, sizeBytes: opened.size }
  closeSync(fd)
  throw new RefusedFile('it is no regular file')
}

/** Holds what is open. Without `opened` no other code can change it. */
export function holdFile(fd: number, opened?: Stats): HeldFile {
  const check = (bytesRead: number): number => {
    if (
      bytesRead === 0 ||
      (opened !== undefined && !isUnchanged(describeStats(opened), describeStats(fstatSync(fd))))
    ) {
      throw new RefusedFile('the image was changed while it was looked at')
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
      // While one piece is used the next one is read.
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
        // An early end does not wait for it.
        next?.catch(() => undefined)
        yield using.subarray(0, length)
      }
    },
    close: () => closeSync(fd),
  }
}
