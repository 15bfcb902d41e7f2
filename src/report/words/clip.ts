/** The text, or as much of it as fits into that many characters with a mark that there was more. */
export function clip(text: string, characters: number): string {
  if (text.length <= characters) return text
  // Half of a surrogate pair would be no character.
  return `${text.slice(0, characters - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
