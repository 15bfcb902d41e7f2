/** Maximum length of an output in a difference, in characters. */
const MOST_SHOWN = 1000

/**
 * Excerpt of an output for a difference: whole lines only, so that no unrecognised half of a secret is shown. `whole` is
 * compared.
 */
export function excerptOf(text: string): { readonly value: string; readonly note?: string; readonly whole?: string } {
  if (text.length <= MOST_SHOWN) return { value: text }
  const end = text.lastIndexOf('\n', MOST_SHOWN)
  const value = end === -1 ? '' : text.slice(0, end)
  return { value, note: `${value.length} of ${text.length} characters are shown`, whole: text }
}
