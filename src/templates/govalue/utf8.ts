// UTF-16 puts U+10000 and above (surrogates, D800..DFFF) before U+E000..U+FFFF; UTF-8 does not. Moving the surrogates
// to the end of the code unit range gives the order of the UTF-8 bytes.
function byteOrder(unit: number): number {
  if (unit >= 0xe000) return unit - 0x800
  return unit >= 0xd800 ? unit + 0x2000 : unit
}

/** Orders two strings by their UTF-8 bytes, as Go does: negative, 0 or positive. */
export function compareStrings(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index += 1) {
    const left = a.charCodeAt(index)
    const right = b.charCodeAt(index)
    if (left !== right) return byteOrder(left) - byteOrder(right)
  }
  return a.length - b.length
}

// oxlint-disable-next-line no-control-regex -- the ASCII range is what is meant
const ASCII = /^[\x00-\x7f]*$/

/** Says whether byte and UTF-16 positions of the text are the same. */
export function isAscii(text: string): boolean {
  return ASCII.test(text)
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** The UTF-8 bytes of a string, which is what a Go string is made of. */
export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text)
}

/** Text of UTF-8 bytes; bytes that are no UTF-8 become U+FFFD. */
export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}

/** Number of Unicode code points, Go's runes. */
export function countRunes(text: string): number {
  let surrogatePairs = 0
  for (let index = 0; index + 1 < text.length; index += 1) {
    if (text.charCodeAt(index) >> 10 === 0x36 && text.charCodeAt(index + 1) >> 10 === 0x37) surrogatePairs += 1
  }
  return text.length - surrogatePairs
}

/** Number of bytes of the text in UTF-8, Go's `len`. */
export function countBytes(text: string): number {
  return isAscii(text) ? text.length : Buffer.byteLength(text)
}

/** Replaces halves of surrogate pairs by U+FFFD, which is what they are in Go's UTF-8. */
export function toWellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd')
}

/**
 * Go's `strings.ToUpper` and `ToLower`: one rune becomes one rune, without regard to its neighbours. JavaScript's own
 * turn `ß` into `SS` and a final `Σ` into `ς`.
 */
export function mapCase(text: string, to: 'upper' | 'lower'): string {
  if (isAscii(text)) return to === 'upper' ? text.toUpperCase() : text.toLowerCase()
  return Array.from(text, (rune) => mapRune(rune, to)).join('')
}

function mapRune(rune: string, to: 'upper' | 'lower'): string {
  // The dotted capital I is the only letter whose lower case JavaScript makes two runes and Go one.
  if (rune === '\u0130' && to === 'lower') return 'i'
  const mapped = to === 'upper' ? rune.toUpperCase() : rune.toLowerCase()
  return countRunes(mapped) === 1 ? mapped : rune
}
