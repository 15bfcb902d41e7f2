import { statSync } from 'node:fs'
import { errorCode } from '../host/live/system-error.ts'

/** Tells one content of a file from another without reading it; one that cannot be looked at has a version, too. */
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
