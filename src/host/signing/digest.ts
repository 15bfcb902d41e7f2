import { createHash } from 'node:crypto'

/** The SHA-256 of bytes, in hex. */
export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Whether a text is a SHA-256 as `sha256` gives it. */
export function isSha256(text: unknown): text is string {
  return typeof text === 'string' && /^[0-9a-f]{64}$/.test(text)
}
