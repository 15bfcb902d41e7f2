import { closeSync, constants, fdatasync, fdatasyncSync, ftruncateSync, openSync } from 'node:fs'
import { promisify } from 'node:util'
import { writeWhole } from '../../host/live/write-whole.ts'

const fdatasyncAsync = promisify(fdatasync)

const FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

/** Unit of space allocation. */
const ROOM_BYTES = 16 * 1024

/** A file of lines followed by preallocated empty lines, so that later lines need no further disk space. */
export interface JournalFile {
  /** Appends a line and reserves space after it. Throws the system's error if there is no space for both. */
  readonly append: (value: unknown, room: (lineBytes: number) => number) => void
  /** Flushes all lines to disk. Throws the system's error. */
  readonly flush: () => Promise<void>
  /** Truncates the file after the last line, flushes and closes it. Throws the system's error. */
  readonly close: () => void
  /** Closes the file without truncation. */
  readonly abandon: () => void
}

/** Creates the file with private permissions. Throws the system's error. */
export function createJournalFile(path: string): JournalFile {
  const descriptor = openSync(path, FLAGS, 0o600)
  let end = 0
  let size = 0
  const makeRoom = (bytes: number): void => {
    if (bytes <= size) return
    const wanted = Math.max(bytes, size + ROOM_BYTES)
    const fill = (to: number): void => {
      writeWhole(descriptor, Buffer.alloc(to - size, '\n'), size)
      size = to
    }
    try {
      fill(wanted)
    } catch {
      // Retry with the minimum size.
      fill(bytes)
    }
  }
  return {
    append(value, room) {
      const line = Buffer.from(`${JSON.stringify(value)}\n`)
      makeRoom(end + line.length + room(line.length))
      writeWhole(descriptor, line, end)
      end += line.length
    },
    flush: () => fdatasyncAsync(descriptor),
    abandon: () => closeSync(descriptor),
    close() {
      try {
        ftruncateSync(descriptor, end)
        fdatasyncSync(descriptor)
      } finally {
        closeSync(descriptor)
      }
    },
  }
}
