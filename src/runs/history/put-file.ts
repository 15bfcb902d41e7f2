import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../../host/live/own-file.ts'
import { isTemporary } from './file-name.ts'

// Writing one takes far less than a second, so the writer of one that is this old is gone.
const ABANDONED_MS = 3_600_000

/** Puts a file that only its owner can read in place, all at once. Throws the system's error. */
export function putFile(directory: string, name: string, content: string | Uint8Array): void {
  replaceFile(join(directory, name), content, { mode: 0o600 })
}

/**
 * Removes the temporary files of runs that were killed long ago. `nowMs` is the time as the file system has it; after a
 * change of the clock, files from a future that far away count as left, too.
 */
export function removeAbandoned(directory: string, nowMs: number): void {
  for (const name of readdirSync(directory).filter(isTemporary)) {
    const path = join(directory, name)
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats !== undefined && Math.abs(nowMs - stats.mtimeMs) > ABANDONED_MS) rmSync(path, { force: true })
  }
}
