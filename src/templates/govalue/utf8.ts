// UTF-16 orders U+10000 and above (surrogates, D800..DFFF) before U+E000..U+FFFF; UTF-8 does not. Moving the surrogates to the
// end of the code unit range gives the order of the UTF-8 bytes.
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

/** Whether byte and UTF-16 positions of the text are equal. */
export function isAscii(text: string): boolean {
  return ASCII.test(text)
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** UTF-8 bytes of a string, the contents of a Go string. */
export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text)
}

/** Decodes UTF-8; invalid bytes become U+FFFD. */
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

/** Replaces lone surrogates by U+FFFD, like Go's UTF-8 encoder. */
export function toWellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd')
}

/**
 * Go's `strings.ToUpper` and `ToLower`: each rune maps to one rune, independent of its neighbours. JavaScript's versions turn `ß`
 * into `SS` and a final `Σ` into `ς`.
 */
export function mapCase(text: string, to: 'upper' | 'lower'): string {
  if (isAscii(text)) return to === 'upper' ? text.toUpperCase() : text.toLowerCase()
  return Array.from(text, (rune) => mapRune(rune, to)).join('')
}

function mapRune(rune: string, to: 'upper' | 'lower'): string {
  // The dotted capital I is the only letter with a lower case of two runes in JavaScript and one in Go.
  if (rune === '\u0130' && to === 'lower') return 'i'
  const mapped = to === 'upper' ? rune.toUpperCase() : rune.toLowerCase()
  return countRunes(mapped) === 1 ? mapped : rune
}
