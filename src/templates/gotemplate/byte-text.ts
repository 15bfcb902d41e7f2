import { decodeUtf8, isAscii } from '../govalue/index.ts'

/**
 * A Go string as text with one character per byte, so that offsets are Go's. `fromByteText` turns it back.
 */
export function toByteText(text: string): string {
  return isAscii(text) ? text : Buffer.from(text, 'utf8').toString('latin1')
}

/** The text of UTF-8 bytes written one character each; a rune cut apart becomes U+FFFD. */
export function fromByteText(bytes: string): string {
  return isAscii(bytes) ? bytes : decodeUtf8(Buffer.from(bytes, 'latin1'))
}

/** Part of a Go string between two byte offsets. */
export function sliceBytes(text: string, start: number, end: number): string {
  return fromByteText(toByteText(text).slice(start, end))
}
