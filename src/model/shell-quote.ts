/** What no shell reads anything into, at the start of a word and after it. */
const PLAIN_WORD = /^[\w@%+:,./-][\w@%+:,./=#-]*$/

/** One word of a command line that a POSIX shell reads as exactly this text: as it is where that is safe, else quoted. */
export function quoteWord(text: string): string {
  return PLAIN_WORD.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
