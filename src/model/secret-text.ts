/**
 * Shorter secrets would match in half of all sentences. They are replaced only if they are the whole text, and their
 * values are redacted as a whole.
 */
export const SHORTEST_FINDABLE = 4

/** A secret and, if it has several lines, each of them trimmed: a diff shows it line by line. */
export function withLines(text: string): readonly string[] {
  if (!text.includes('\n')) return [text]
  const lines = text.split('\n').map((line) => line.trim())
  return [text, ...lines.filter((line) => line !== '')]
}
