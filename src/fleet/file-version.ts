import { statSync } from 'node:fs'
import { errorCode } from '../host/live/system-error.ts'

/** Identifies the state of a file without reading it; a file that cannot be inspected has a version as well. */
export function fileVersion(path: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(path)
    return `${ino} ${size} ${mtimeMs}`
  } catch (error) {
    const code = errorCode(error)
    if (code === undefined) throw error
    return code
  }
}
