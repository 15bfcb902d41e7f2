import { isUtf8 } from 'node:buffer'
import { hasLostBytes } from '../../core/file-name.ts'

const LONGEST_CHARACTER_BYTES = 4

const SURROGATES = 0xdc00

/** The text of a name that the system gave as bytes; `systemPath` makes the same bytes of it. */
export function nameFromBytes(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  let text = ''
  for (let position = 0; position < bytes.length;) {
    const length = characterAt(bytes, position)
    text +=
      length === 0
        ? String.fromCharCode(SURROGATES + bytes.readUInt8(position))
        : bytes.toString('utf8', position, position + length)
    position += Math.max(length, 1)
  }
  return text
}

/** How many bytes the character has that begins there; 0 where none does. */
function characterAt(bytes: Buffer, position: number): number {
  for (let length = 1; length <= LONGEST_CHARACTER_BYTES && position + length <= bytes.length; length++) {
    if (isUtf8(bytes.subarray(position, position + length))) return length
  }
  return 0
}

/** A path as system calls take it: bytes where text would lose some of them. */
export function systemPath(path: string): string | Buffer {
  if (!hasLostBytes(path)) return path
  const parts = Array.from(path, (character) =>
    hasLostBytes(character) ? Buffer.of(character.charCodeAt(0) - SURROGATES) : Buffer.from(character),
  )
  return Buffer.concat(parts)
}
