// Invalid UTF-8 bytes become the lone surrogates U+DC80 to U+DCFF, which valid UTF-8 cannot contain, so they are encoded back
// unchanged. Python's `surrogateescape` does the same. @see https://peps.python.org/pep-0383/
const ESCAPE_BASE = 0xdc00

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

// Well-formed UTF-8, one character per byte. @see RFC 3629, section 4
const WELL_FORMED_OR_BYTE =
  // oxlint-disable-next-line no-control-regex -- the ASCII range is what is meant
  /((?:[\x00-\x7f]|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2})+)|[\x80-\xff]/g

const ESCAPED_BYTE = /([\udc80-\udcff])/u

// White space by Go's unicode.IsSpace. @see https://pkg.go.dev/unicode#IsSpace
const BLANK = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$/

/** Decodes a template file. Any bytes are allowed; `encodeRendered` restores them. */
export function decodeSource(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return decodeEscaping(Buffer.from(bytes).toString('latin1'))
  }
}

function decodeEscaping(latin1: string): string {
  return latin1.replace(WELL_FORMED_OR_BYTE, (match, wellFormed: string | undefined) =>
    wellFormed === undefined
      ? String.fromCharCode(ESCAPE_BASE + match.charCodeAt(0))
      : Buffer.from(wellFormed, 'latin1').toString('utf8'),
  )
}

/** Encodes rendered text, restoring invalid UTF-8 bytes. */
export function encodeRendered(text: string): Uint8Array {
  if (!ESCAPED_BYTE.test(text)) return Buffer.from(text)
  const parts = text.split(ESCAPED_BYTE)
  // Splitting puts the escaped bytes at odd indexes.
  return Buffer.concat(
    parts.map((part, index) => (index % 2 === 1 ? Buffer.from([part.charCodeAt(0) - ESCAPE_BASE]) : Buffer.from(part))),
  )
}

/** Whether a rendered text has only white space by Go's rules. */
export function isBlank(text: string): boolean {
  return BLANK.test(text)
}
