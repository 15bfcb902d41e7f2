/**
 * Names of files are bytes. As text they are UTF-8, and a byte that is no part of it is a lone surrogate from U+DC80 to
 * U+DCFF, so no two names become the same text and the bytes can be had back. @see PEP 383
 */
const LOST_BYTE = /[\uDC80-\uDCFF]/gu

/** Whether a text stands for bytes that are no UTF-8. */
export function hasLostBytes(text: string): boolean {
  return text.search(LOST_BYTE) >= 0
}

/** A name, or a sentence with names in it, for people and reports: a byte that is no UTF-8 is shown as `\xff`. */
export function showName(text: string): string {
  return text.replace(LOST_BYTE, (byte) => `\\x${(byte.charCodeAt(0) - 0xdc00).toString(16)}`)
}
