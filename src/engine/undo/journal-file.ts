import { closeSync, constants, fdatasync, fdatasyncSync, ftruncateSync, openSync } from 'node:fs'
import { promisify } from 'node:util'
import { writeWhole } from '../../host/live/write-whole.ts'

const fdatasyncAsync = promisify(fdatasync)

const FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

/** How much room is made at once. */
const ROOM_BYTES = 16 * 1024

/** A file of lines with empty lines behind them, which later lines are written over: that needs no further space of the disk. */
export interface JournalFile {
  /** Writes a line, with so much room behind it. Throws the system's error where there is no space for both. */
  readonly append: (value: unknown, room: (lineBytes: number) => number) => void
  /** Waits until all lines are on the disk. Throws the system's error. */
  readonly flush: () => Promise<void>
  /** Ends the file behind its last line, on the disk. Throws the system's error. */
  readonly close: () => void
  /** Closes the file as it is. */
  readonly abandon: () => void
}

/** Creates the file, for its owner alone. Throws the system's error. */
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
      // Perhaps there is space for as much as is needed now.
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
