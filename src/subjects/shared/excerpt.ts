/** How much of an output a difference shows, in characters. */
const MOST_SHOWN = 1000

/** What a difference shows of an output: whole lines only, so that no half of a secret is shown that is not recognised. `whole` is what it is compared by. */
export function excerptOf(text: string): { readonly value: string; readonly note?: string; readonly whole?: string } {
  if (text.length <= MOST_SHOWN) return { value: text }
  const end = text.lastIndexOf('\n', MOST_SHOWN)
  const value = end === -1 ? '' : text.slice(0, end)
  return { value, note: `${value.length} of ${text.length} characters are shown`, whole: text }
}
