import { decodeUtf8, isAscii } from '../govalue/index.ts'

/** Converts a Go string to one character per byte, so that offsets match Go's. `fromByteText` reverses it. */
export function toByteText(text: string): string {
  return isAscii(text) ? text : Buffer.from(text, 'utf8').toString('latin1')
}

/** Decodes UTF-8 bytes stored as one character each; a partial rune becomes U+FFFD. */
export function fromByteText(bytes: string): string {
  return isAscii(bytes) ? bytes : decodeUtf8(Buffer.from(bytes, 'latin1'))
}

/** Part of a Go string between two byte offsets. */
export function sliceBytes(text: string, start: number, end: number): string {
  return fromByteText(toByteText(text).slice(start, end))
}
