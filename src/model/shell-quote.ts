/** Words without characters that any shell interprets. */
const PLAIN_WORD = /^[\w@%+:,./-][\w@%+:,./=#-]*$/

/** Quotes a word for a POSIX shell, if necessary. */
export function quoteWord(text: string): string {
  return PLAIN_WORD.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
