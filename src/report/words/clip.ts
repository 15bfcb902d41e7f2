/** Cuts a text to a number of characters, with an ellipsis. */
export function clip(text: string, characters: number): string {
  if (text.length <= characters) return text
  // A lone surrogate would not be a character.
  return `${text.slice(0, characters - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
