import type { Problem } from '../../model/problem.ts'
import { positionAt, sourceText } from './lines.ts'

/** The text of UTF-8 bytes without its byte order mark, or where the bytes stop being UTF-8. */
export function decodeUtf8(file: string, bytes: Uint8Array): string | Problem {
  const text = new TextDecoder().decode(bytes)
  const broken = firstReplaced(text, bytes)
  if (broken === undefined) return text
  const valid = text.slice(0, broken)
  // The line is of no help, and the secrets in the text are not known yet.
  const position = positionAt(sourceText(file, valid), broken)
  return { message: 'this is not valid UTF-8, save the file in the UTF-8 encoding', position, severity: 'error' }
}

/**
 * The index of the first replacement character that the decoder put where the bytes are wrong. A replacement character
 * that was really written is in the bytes as EF BF BD.
 */
function firstReplaced(text: string, bytes: Uint8Array): number | undefined {
  let from = 0
  let offset = hasByteOrderMark(bytes) ? 3 : 0
  for (let at = text.indexOf('\uFFFD'); at !== -1; at = text.indexOf('\uFFFD', at + 1)) {
    offset += Buffer.byteLength(text.slice(from, at))
    from = at
    if (bytes[offset] !== 0xef || bytes[offset + 1] !== 0xbf || bytes[offset + 2] !== 0xbd) return at
  }
  return undefined
}

function hasByteOrderMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
}
