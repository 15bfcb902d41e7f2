/**
 * Compares file names as `ls -v` does: digits as numbers, and file extensions (`.rules`) last. @see filevercmp in gnulib,
 * "Details about version sort" of coreutils
 */
export function compareVersionNames(left: string, right: string): number {
  if (left === right) return 0
  const special = specialRank(left) - specialRank(right)
  if (special !== 0) return special
  const [first, second] = [withoutEnding(left), withoutEnding(right)]
  const byStem = compareVersions(first, second)
  if (byStem !== 0) return byStem
  return compareVersions(left, right) || compareCodes(left, right)
}

/** Hidden files sort first. */
function specialRank(name: string): number {
  return name === '' ? 0 : name === '.' ? 1 : name === '..' ? 2 : name.startsWith('.') ? 3 : 4
}

function withoutEnding(name: string): string {
  return name.replace(/(?:\.[A-Za-z~][A-Za-z0-9~]*)*$/, '')
}

function compareVersions(left: string, right: string): number {
  const [first, second] = [partsOf(left), partsOf(right)]
  for (let index = 0; index < Math.max(first.length, second.length); index += 1) {
    const [text = '', digits = ''] = first[index] ?? []
    const [otherText = '', otherDigits = ''] = second[index] ?? []
    const byText = compareText(text, otherText)
    if (byText !== 0) return byText
    const byNumber = compareNumbers(digits, otherDigits)
    if (byNumber !== 0) return byNumber
  }
  return 0
}

function partsOf(name: string): readonly (readonly [text: string, digits: string])[] {
  return [...name.matchAll(/(\D*)(\d*)/g)].map(([, text = '', digits = '']) => [text, digits])
}

function compareText(left: string, right: string): number {
  const [first, second] = [Buffer.from(left), Buffer.from(right)]
  for (let index = 0; index < Math.max(first.length, second.length); index += 1) {
    const difference = orderOf(first[index]) - orderOf(second[index])
    if (difference !== 0) return difference
  }
  return 0
}

const TILDE = 0x7e

/** `~` sorts before the end of the name, then letters, then all other characters. */
function orderOf(byte: number | undefined): number {
  if (byte === undefined) return -1
  if (byte === TILDE) return -2
  return /[A-Za-z]/.test(String.fromCodePoint(byte)) ? byte : byte + 256
}

function compareNumbers(left: string, right: string): number {
  const [first, second] = [left.replace(/^0+/, ''), right.replace(/^0+/, '')]
  return first.length - second.length || compareCodes(first, second)
}

function compareCodes(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}
