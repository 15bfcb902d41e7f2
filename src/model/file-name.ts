/**
 * File names are bytes. Text encodes them as UTF-8, and each byte that is not valid UTF-8 as a lone surrogate from
 * U+DC80 to U+DCFF, so the encoding is unique and reversible. @see PEP 383
 */
const LOST_BYTE = /[\uDC80-\uDCFF]/gu

/** Whether a text contains bytes that are not valid UTF-8. */
export function hasLostBytes(text: string): boolean {
  return text.search(LOST_BYTE) >= 0
}

/** Shows each byte that is not valid UTF-8 as `\xff`, in a name or a sentence with names. */
export function showName(text: string): string {
  return text.replace(LOST_BYTE, (byte) => `\\x${(byte.charCodeAt(0) - 0xdc00).toString(16)}`)
}

/** The part of a path after its last slash. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
