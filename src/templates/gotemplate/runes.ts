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

/** `%#U` of a rune: `U+0021 '!'`, without the character if it is not printable. */
export function describeRune(rune: string): string {
  const code = (rune.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return isPrint(rune) ? `U+${code} '${rune}'` : `U+${code}`
}
