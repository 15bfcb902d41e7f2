/**
 * Compares two versions of Debian packages as dpkg does: negative, 0 or positive. Epoch, then upstream version, then
 * revision; `~` sorts before the end, letters before all other characters, and a missing part equals `0`.
 *
 * @see deb-version(7)
 */
export function compareDebianVersions(left: string, right: string): number {
  const a = parse(left)
  const b = parse(right)
  return comparePart(a.epoch, b.epoch) || comparePart(a.upstream, b.upstream) || comparePart(a.revision, b.revision)
}

interface DebianVersion {
  readonly epoch: string
  readonly upstream: string
  readonly revision: string
}

function parse(text: string): DebianVersion {
  const colon = text.indexOf(':')
  const rest = text.slice(colon + 1)
  const hyphen = rest.lastIndexOf('-')
  return {
    epoch: colon < 0 ? '' : text.slice(0, colon),
    upstream: hyphen < 0 ? rest : rest.slice(0, hyphen),
    revision: hyphen < 0 ? '' : rest.slice(hyphen + 1),
  }
}

/** Compares text and numbers alternately: text up to the next digit by character, then the number by value. */
function comparePart(left: string, right: string): number {
  let i = 0
  let j = 0
  while (i < left.length || j < right.length) {
    while ((i < left.length && !isDigit(left, i)) || (j < right.length && !isDigit(right, j))) {
      const difference = order(left, i) - order(right, j)
      if (difference !== 0) return difference
      i++
      j++
    }
    const a = endOfNumber(left, i)
    const b = endOfNumber(right, j)
    const difference = compareNumbers(left.slice(i, a), right.slice(j, b))
    if (difference !== 0) return difference
    i = a
    j = b
  }
  return 0
}

const ZERO = 48
const NINE = 57
const AFTER_LETTERS = 256

function isDigit(text: string, index: number): boolean {
  const code = text.charCodeAt(index)
  return code >= ZERO && code <= NINE
}

/** Where a character sorts: `~`, then the end and digits, then letters, then the rest. */
function order(text: string, index: number): number {
  if (index >= text.length || isDigit(text, index)) return 0
  const character = text.charAt(index)
  if (character === '~') return -1
  const code = text.charCodeAt(index)
  return /[A-Za-z]/.test(character) ? code : code + AFTER_LETTERS
}

function endOfNumber(text: string, start: number): number {
  let end = start
  while (end < text.length && isDigit(text, end)) end++
  return end
}

/** Compared as text, because a number may be longer than any integer. */
function compareNumbers(left: string, right: string): number {
  const a = left.replace(/^0+/, '')
  const b = right.replace(/^0+/, '')
  if (a.length !== b.length) return a.length - b.length
  return a < b ? -1 : Number(a > b)
}
