import { hasLostBytes } from '../../model/file-name.ts'

const SURROGATES = 0xdc00

/** The text of a name that the system gave as bytes; `systemPath` makes the same bytes of it. */
export { textFromBytes as nameFromBytes } from '../byte-text.ts'

/** A path as system calls take it: bytes where text would lose some of them. */
export function systemPath(path: string): string | Buffer {
  if (!hasLostBytes(path)) return path
  const parts = Array.from(path, (character) =>
    hasLostBytes(character) ? Buffer.of(character.charCodeAt(0) - SURROGATES) : Buffer.from(character),
  )
  return Buffer.concat(parts)
}
