import { ftruncateSync, writeSync } from 'node:fs'

/**
 * Writes all bytes to a regular file from an offset. A full disk may accept a part without an error, so writing
 * continues until the system returns one. Throws the error of the system.
 */
export function writeWhole(descriptor: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length;) {
    const written = writeSync(descriptor, bytes, done, bytes.length - done, position + done)
    if (written === 0) throw Object.assign(new Error('the file system accepted no data'), { code: 'EIO' })
    done += written
  }
}

/** Appends to a file of that size, and restores the size on failure. */
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
