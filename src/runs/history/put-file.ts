import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../../host/live/own-file.ts'
import { isTemporary } from './file-name.ts'

// Writing a file takes less than a second, so the writer of an older temporary file is gone.
const ABANDONED_MS = 3_600_000

/** Writes a private file atomically. Throws the system's error. */
export function putFile(directory: string, name: string, content: string | Uint8Array): void {
  replaceFile(join(directory, name), content, { mode: 0o600 })
}

/**
 * Removes old temporary files of interrupted runs. `nowMs` is the file system's time; after a clock change, files far
 * in the future count as abandoned as well.
 */
export function removeAbandoned(directory: string, nowMs: number): void {
  for (const name of readdirSync(directory).filter(isTemporary)) {
    const path = join(directory, name)
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats !== undefined && Math.abs(nowMs - stats.mtimeMs) > ABANDONED_MS) rmSync(path, { force: true })
  }
}
