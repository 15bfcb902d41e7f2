/** Go's `unicode.IsSpace`: the white space of Unicode. */
export function isSpaceRune(rune: string): boolean {
  return /^\p{White_Space}$/u.test(rune)
}

/** Go's `unicode.IsLetter`. */
export function isLetter(rune: string): boolean {
  return /^\p{L}$/u.test(rune)
}

/** Go's `unicode.IsDigit`: decimal digits of every script. */
export function isDigit(rune: string): boolean {
  return /^\p{Nd}$/u.test(rune)
}

/** Go's `unicode.IsPrint`: letters, marks, numbers, punctuation, symbols and the ASCII space. */
export function isPrint(rune: string): boolean {
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(rune)
}

/** Go's `unicode.ToUpper`: the simple mapping of one rune, so `ß` stays `ß`. */
export function toUpperRune(rune: string): string {
  const upper = rune.toUpperCase()
  return isOneRune(upper) ? upper : rune
}

/** Go's `unicode.ToLower`: the simple mapping of one rune. */
export function toLowerRune(rune: string): string {
  // U+0130 is the only rune whose full mapping is longer than its simple one, which is a plain i.
  if (rune === '\u0130') return 'i'
  const lower = rune.toLowerCase()
  return isOneRune(lower) ? lower : rune
}

/** Go's `strings.ToUpper`: every rune by itself. */
export function toUpper(text: string): string {
  let result = ''
  for (const rune of text) result += toUpperRune(rune)
  return result
}

/** Go's `strings.ToLower`: every rune by itself, so a final sigma is an ordinary one. */
export function toLower(text: string): string {
  let result = ''
  for (const rune of text) result += toLowerRune(rune)
  return result
}

function isOneRune(text: string): boolean {
  const rune = text.codePointAt(0) ?? 0
  return text.length === (rune > 0xffff ? 2 : 1)
}

/** Go's `strings.TrimSpace`. */
export function trimSpace(text: string): string {
  return trimRunes(text, isSpaceRune)
}

/** Removes the runes that `matches` accepts from both ends. All white space and cut sets are in the basic plane. */
export function trimRunes(text: string, matches: (rune: string) => boolean): string {
  let start = 0
  let end = text.length
  while (start < end && matches(text.charAt(start))) start += 1
  while (end > start && matches(text.charAt(end - 1))) end -= 1
  return text.slice(start, end)
}

/** `%#U` of a rune: `U+0021 '!'`, without the character when it cannot be printed. */
export function describeRune(rune: string): string {
  const code = (rune.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return isPrint(rune) ? `U+${code} '${rune}'` : `U+${code}`
}
