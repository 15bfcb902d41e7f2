/** The first word of a text and the rest. */
export interface Token {
  readonly word: string
  readonly rest: string
}

/**
 * The next word, as libpam splits a line: blanks separate words, and `[...]` is a single word without its brackets, in
 * which `\]` escapes a bracket. Undefined at the end. @see pam.conf(5)
 */
export function nextToken(text: string): Token | undefined {
  const start = text.replace(/^[ \t\n]+/, '')
  if (start === '') return undefined
  if (!start.startsWith('[')) {
    const [word = ''] = /^[^ \t\n]+/.exec(start) ?? []
    return { word, rest: start.slice(word.length + 1) }
  }
  const [whole = '', inner = ''] = /^\[((?:\\\]|[^\]])*)\]?/.exec(start) ?? []
  return { word: inner.replaceAll('\\]', ']'), rest: start.slice(whole.length) }
}

export function tokensOf(text: string): readonly string[] {
  const words: string[] = []
  for (let token = nextToken(text); token !== undefined; token = nextToken(token.rest)) words.push(token.word)
  return words
}
