import { closeSync, constants, openSync, readSync } from 'node:fs'
import { constants as zlib, gunzipSync } from 'node:zlib'
import { errorCode } from '../host/live/system-error.ts'

/** The target of a report is near its beginning. */
const HEAD_BYTES = 64 * 1024

const TARGET = /"target"\s*:\s*\{\s*"kind"\s*:\s*"(?!merged")[a-z]+"\s*,\s*"hostname"\s*:\s*("(?:[^"\\]|\\.)+")/

/** Host named at the beginning of a truncated report; empty if not found. */
export function claimedHosts(path: string): readonly string[] {
  const [, hostname] = TARGET.exec(readHead(path)) ?? []
  if (hostname === undefined) return []
  try {
    return [String(JSON.parse(hostname))]
  } catch {
    return []
  }
}

function readHead(path: string): string {
  const head = Buffer.alloc(HEAD_BYTES)
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    try {
      const bytes = head.subarray(0, readSync(fd, head, 0, HEAD_BYTES, 0))
      const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b
      return String(isPacked ? gunzipSync(bytes, { finishFlush: zlib.Z_SYNC_FLUSH }) : bytes)
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return ''
  }
}
