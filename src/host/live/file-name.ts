import { hasLostBytes } from '../../model/file-name.ts'

const SURROGATES = 0xdc00

/** Decodes a file name; `systemPath` restores the same bytes. */
export { textFromBytes as nameFromBytes } from '../byte-text.ts'

/** A path for system calls: a buffer if it is not valid UTF-8. */
export function systemPath(path: string): string | Buffer {
  if (!hasLostBytes(path)) return path
  const parts = Array.from(path, (character) =>
    hasLostBytes(character) ? Buffer.of(character.charCodeAt(0) - SURROGATES) : Buffer.from(character),
  )
  return Buffer.concat(parts)
}
