import { ftruncateSync, writeSync } from 'node:fs'

/**
 * Writes all of the bytes to a regular file, from a position on. A full disk takes a part of them without an error, so the rest is written
 * until the system says why it cannot be. Throws the system's error.
 */
export function writeWhole(descriptor: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length;) {
    const written = writeSync(descriptor, bytes, done, bytes.length - done, position + done)
    if (written === 0) throw Object.assign(new Error('the file system took nothing'), { code: 'EIO' })
    done += written
  }
}

/** The same at the end of a file of that size, which keeps its size where it fails. */
export function appendWhole(descriptor: number, text: string, size: number): number {
  const bytes = Buffer.from(text)
  try {
    writeWhole(descriptor, bytes, size)
  } catch (error) {
    ftruncateSync(descriptor, size)
    throw error
  }
  return size + bytes.length
}
