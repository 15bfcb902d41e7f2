import { encodeUtf8, toWellFormed } from '../govalue/utf8.ts'

const SIMPLE: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
])

const PIECE =
  /\\(?:u\{([0-9a-fA-F]{1,6})\}|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|(.))|\r\n?|[^\\\r]+/gsu

/** Decodes a quoted literal; undefined for an invalid escape. Carriage returns become newlines. */
export function unescapeString(body: string): string | undefined {
  if (!/[\\\r]/.test(body)) return body
  let text = ''
  for (const [piece, braced, byte, short, long, octal, simple] of body.matchAll(PIECE)) {
    const hex = braced ?? byte ?? short ?? long
    const part = hex !== undefined ? character(Number.parseInt(hex, 16)) : unescapeShort(piece, octal, simple)
    if (part === undefined) return undefined
    text += part
  }
  return text
}

function unescapeShort(piece: string, octal: string | undefined, simple: string | undefined): string | undefined {
  if (octal !== undefined) return character(Number.parseInt(octal, 8))
  if (simple !== undefined) return SIMPLE.get(simple)
  return piece.startsWith('\r') ? '\n' : piece
}

/** A lone surrogate becomes U+FFFD, as in Go's encoder. */
function character(codePoint: number): string | undefined {
  if (codePoint > 0x10ffff) return undefined
  return toWellFormed(String.fromCodePoint(codePoint))
}

const BYTES_PIECE = /\\(?:x([0-9a-fA-F]{2})|([0-3][0-7]{2})|(.))|[^\\]+/gsu

/** Decodes a `b"…"` literal; undefined for an escape that byte literals do not support. */
export function unescapeBytes(body: string): Uint8Array | undefined {
  const bytes: number[] = []
  for (const [piece, hex, octal, simple] of body.matchAll(BYTES_PIECE)) {
    if (hex !== undefined) bytes.push(Number.parseInt(hex, 16))
    else if (octal !== undefined) bytes.push(Number.parseInt(octal, 8))
    else {
      const text = simple === undefined ? piece : SIMPLE.get(simple)
      if (text === undefined) return undefined
      for (const byte of encodeUtf8(text)) bytes.push(byte)
    }
  }
  return Uint8Array.from(bytes)
}
