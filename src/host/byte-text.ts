import { isUtf8 } from 'node:buffer'

/** Base of the surrogates that represent invalid bytes: valid UTF-8 never contains them. */
const LOST_BYTES = 0xdc00

/** Decodes UTF-8; invalid bytes become lone surrogates, so different bytes give different texts. */
export function textFromBytes(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  const parts: string[] = []
  let start = 0
  for (let at = 0; at < bytes.length;) {
    const length = characterAt(bytes, at)
    if (length === 0) {
      parts.push(bytes.toString('utf8', start, at), String.fromCharCode(LOST_BYTES + (bytes[at] ?? 0)))
      start = at + 1
    }
    at += Math.max(length, 1)
  }
  parts.push(bytes.toString('utf8', start))
  return parts.join('')
}

/** Length of the UTF-8 character at an offset; 0 if it is invalid. @see RFC 3629, section 4 */
function characterAt(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0
  if (first < 0x80) return 1
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0
  const second = bytes[at + 1] ?? 0
  const lowest = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80
  const highest = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf
  if (length === 0 || second < lowest || second > highest) return 0
  for (let next = at + 2; next < at + length; next++) if (((bytes[next] ?? 0) & 0xc0) !== 0x80) return 0
  return length
}

/** The number of bytes that the text was decoded from. */
export function byteLengthOf(text: string): number {
  const lost = text.match(LONE_BYTES)?.length ?? 0
  return Buffer.byteLength(text) - lost * (BYTES_OF_SURROGATE - 1)
}

/** With the flag `u`, the halves of a surrogate pair do not match. */
const LONE_BYTES = /[\udc80-\udcff]/gu

const BYTES_OF_SURROGATE = 3
