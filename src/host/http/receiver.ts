import { createHash } from 'node:crypto'
import { fchmodSync, ftruncateSync, write } from 'node:fs'
import { basename } from 'node:path'
import { promisify } from 'node:util'
import type { FileAttributes } from '../remediator.ts'
import type { Journal } from '../live/journal.ts'
import { openReplaced } from '../live/replaced-file.ts'
import { type Destination, giveTo, stageFile, type StagedFile } from '../live/staged-file.ts'

const writeAsync = promisify(write)

/** A file that is written under a temporary name and then replaces its destination atomically. */
export interface Receiver extends Omit<StagedFile, 'fd'> {
  readonly receivedBytes: () => number
  readonly write: (chunk: Uint8Array) => Promise<void>
  /** Discards everything received so far. */
  readonly restart: () => void
  /** Hash of everything received so far, in hex. */
  readonly sha256: () => string
}

/**
 * Creates the temporary file and sets owner, mode and the attributes kept from the replaced file before any content is
 * written. Throws the error of the system, or a `ReplacementError`.
 */
export async function openReceiver(
  destination: Destination,
  attributes: FileAttributes,
  journal: Journal,
): Promise<Receiver> {
  const replaced = openReplaced(destination.directory, basename(destination.path))
  const { fd, commit, end } = await stageFile(destination, journal).catch((error: unknown) => {
    replaced?.close()
    throw error
  })
  const endBoth = async (): Promise<void> => {
    replaced?.close()
    await end()
  }
  try {
    await replaced?.handOn(fd)
    giveTo(fd, attributes)
    fchmodSync(fd, attributes.mode)
  } catch (error) {
    await endBoth()
    throw error
  }
  let digest = createHash('sha256')
  let received = 0
  return {
    receivedBytes: () => received,
    async write(chunk) {
      for (let offset = 0; offset < chunk.length;) {
        offset += (await writeAsync(fd, chunk, offset, chunk.length - offset, received + offset)).bytesWritten
      }
      digest.update(chunk)
      received += chunk.length
    },
    restart() {
      ftruncateSync(fd, 0)
      digest = createHash('sha256')
      received = 0
    },
    sha256: () => digest.copy().digest('hex'),
    async commit() {
      await replaced?.handOnCapabilities(fd)
      await commit()
    },
    end: endBoth,
  }
}
