/**
 * Shorter secrets would match in half of all sentences. They are replaced only if they are the whole text, and their
 * values are redacted as a whole.
 */
export const SHORTEST_FINDABLE = 4

/** A secret and each of its lines trimmed: a diff shows it line by line, and programs drop blanks around it. */
export function withLines(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.trim())
  return [...new Set([text, ...lines.filter((line) => line !== '')])]
}
