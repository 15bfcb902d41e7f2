import { readWhole } from '../../host/live/read-whole.ts'

/** Maximum size of a file that a template or an option reads. */
const LARGEST_TEXT_BYTES = 16 * 1024 * 1024

/** The text of a file named by a policy or the operator. Throws as `readFileBytes` does, and if it is not UTF-8. */
export function readTextFile(path: string): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(readFileBytes(path))
}

/**
 * The bytes of a file named by a policy or the operator. Throws an `Error` with the reason unless it is a regular file
 * of at most 16 MiB; never waits for a pipe or device.
 */
export function readFileBytes(path: string): Uint8Array {
  return readWhole(path, LARGEST_TEXT_BYTES)
}
