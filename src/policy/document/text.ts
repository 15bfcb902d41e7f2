import type { Problem } from '../../model/problem.ts'
import { positionAt, sourceText } from './lines.ts'

/** Decodes UTF-8 without a byte order mark; a problem with the position of the first invalid byte. */
export function decodeUtf8(file: string, bytes: Uint8Array): string | Problem {
  const text = new TextDecoder().decode(bytes)
  const broken = firstReplaced(text, bytes)
  if (broken === undefined) return text
  const valid = text.slice(0, broken)
  // Without the source line: its secrets are not known yet.
  const position = positionAt(sourceText(file, valid), broken)
  return { message: 'not valid UTF-8: save the file as UTF-8', position, severity: 'error' }
}

/**
 * The index of the first replacement character that stands for an invalid byte. A literal replacement character is EF
 * BF BD in the bytes.
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
