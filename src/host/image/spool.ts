import { mkdtempSync, openSync, realpathSync, rmdirSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ArchiveError } from '../archive/archive-error.ts'
import { answeringPath } from '../live/hanging.ts'
import { errorCode } from '../live/system-error.ts'
import { type HeldFile, holdFile } from './held-file.ts'

/** Where unpacked bytes are kept as long as the process lives. */
export interface Spool {
  readonly file: HeldFile
  /** Where the next byte goes. */
  readonly sizeBytes: () => number
  readonly write: (bytes: Uint8Array) => void
}

/**
 * A temporary file that has no name any more as soon as it is there: no other process can open it, and nothing is left of it however
 * the process ends. Throws an `ArchiveError` where there is no room.
 */
export function openSpool(): Spool {
  const trouble = (error: unknown): unknown => {
    const code = errorCode(error)
    if (code === undefined) return error
    return new ArchiveError(
      `it cannot be unpacked into ${tmpdir()} (${code}); name a directory with more room in TMPDIR`,
    )
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
