import { readWhole } from '../../host/live/read-whole.ts'

/** The largest file a template or a flag may read, in bytes. */
const LARGEST_TEXT_BYTES = 16 * 1024 * 1024

/** The text of a file that a policy or the operator names. Throws as `readFileBytes` does, and for what is not UTF-8. */
export function readTextFile(path: string): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(readFileBytes(path))
}

/**
 * The bytes of a file that a policy or the operator names. Throws an `Error` with the reason for anything but a regular
 * file of at most 16 MiB; a pipe or device is never waited for.
 */
export function readFileBytes(path: string): Uint8Array {
  return readWhole(path, LARGEST_TEXT_BYTES)
}
