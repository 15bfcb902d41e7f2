import { mkdtempSync, openSync, realpathSync, rmdirSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ArchiveError } from '../archive/archive-error.ts'
import { answeringPath } from '../live/hanging.ts'
import { errorCode } from '../live/system-error.ts'
import { type HeldFile, holdFile } from './held-file.ts'

/** Storage of unpacked bytes for the lifetime of the process. */
export interface Spool {
  readonly file: HeldFile
  /** Offset of the next byte. */
  readonly sizeBytes: () => number
  readonly write: (bytes: Uint8Array) => void
}

/**
 * Makes an unlinked temporary file: no other process can open it by name, and it disappears with the process. Throws an
 * `ArchiveError` if there is no space.
 */
export function openSpool(): Spool {
  const trouble = (error: unknown): unknown => {
    const code = errorCode(error)
    if (code === undefined) return error
    return new ArchiveError(`cannot unpack it into ${tmpdir()} (${code}); set TMPDIR to a directory with more space`)
  }
  const fd = orThrow(openUnnamed, trouble)
  let sizeBytes = 0
  return {
    file: holdFile(fd),
    sizeBytes: () => sizeBytes,
    write(bytes) {
      for (let done = 0; done < bytes.length;) {
        const from = done
        done += orThrow(() => writeSync(fd, bytes, from), trouble)
      }
      sizeBytes += bytes.length
    },
  }
}

function openUnnamed(): number {
  const directory = mkdtempSync(join(realpathSync(answeringPath(tmpdir())), 'driftgate-'))
  const path = join(directory, 'unpacked')
  try {
    return openSync(path, 'wx+', 0o600)
  } finally {
    unlinkSync(path)
    rmdirSync(directory)
  }
}

function orThrow<Value>(act: () => Value, translate: (error: unknown) => unknown): Value {
  try {
    return act()
  } catch (error) {
    throw translate(error)
  }
}
