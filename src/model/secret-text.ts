/**
 * A shorter secret would be found in half of all sentences. It is replaced only where it is the whole text, and what it is
 * the value of is hidden as a whole.
 */
export const SHORTEST_FINDABLE = 4

/** A secret text and, where it has several lines, each of them trimmed: a difference of files shows it line by line. */
export function withLines(text: string): readonly string[] {
  if (!text.includes('\n')) return [text]
  const lines = text.split('\n').map((line) => line.trim())
  return [text, ...lines.filter((line) => line !== '')]
}
