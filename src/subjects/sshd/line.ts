/** A parsed line of sshd_config: a keyword in lower case with its arguments, an empty line, or an error. */
export type SshdLine =
  | { readonly kind: 'statement'; readonly keyword: string; readonly words: readonly string[]; readonly text: string }
  | { readonly kind: 'empty' }
  | { readonly kind: 'invalid'; readonly problem: string }

const EMPTY: SshdLine = { kind: 'empty' }

/** Parses a line as sshd does: `Keyword value`, `Keyword=value`, and either of them quoted. */
export function parseSshdLine(line: string): SshdLine {
  // The first character stays, even if it is a form feed; an equals sign there is passed over.
  const first = cutWord(line.replace(/^[ \t\r]+/, '').replace(/(?<!^)[ \t\r\n\f]+$/, ''))
  const head = first?.word === '' ? cutWord(first.rest) : first
  if (head === undefined) return EMPTY
  if (head.word === '' || head.word.startsWith('#')) return EMPTY
  if (head.rest === '') return { kind: 'invalid', problem: `${head.word} has no value` }
  const words = splitArguments(head.rest)
  if (words === undefined) return { kind: 'invalid', problem: `${head.word} has an unterminated quote` }
  return { kind: 'statement', keyword: head.word.toLowerCase(), words, text: head.rest }
}

/**
 * The first word, up to a space, an `=` or its closing quote, and the rest after it and one `=`. Undefined if a quote is not
 * closed.
 */
export function cutWord(text: string): { readonly word: string; readonly rest: string } | undefined {
  const end = text.search(/[ \t\r\n"=]/)
  if (end === -1) return { word: text, rest: '' }
  if (text[end] === '"') {
    const close = text.indexOf('"', end + 1)
    if (close === -1) return undefined
    return {
      word: text.slice(0, end) + text.slice(end + 1, close),
      rest: text.slice(close + 1).replace(/^[ \t\r\n]+/, ''),
    }
  }
  const after = text.slice(end + 1).replace(/^[ \t\r\n]+/, '')
  const rest = text[end] !== '=' && after.startsWith('=') ? after.slice(1).replace(/^[ \t\r\n]+/, '') : after
  return { word: text.slice(0, end), rest }
}

const ESCAPABLE = `'"\\`

/** Splits arguments at spaces, up to a comment; quotes and backslashes escape. Undefined if a quote is not closed. */
export function splitArguments(text: string): readonly string[] | undefined {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    const next = text.charAt(at + 1)
    if (word === undefined) {
      if (character === ' ' || character === '\t') continue
      if (character === '#') break
      word = ''
    }
    if (character === '\\' && next !== '' && (ESCAPABLE.includes(next) || (quote === '' && next === ' '))) {
      word += next
      at += 1
    } else if (quote === '' && (character === ' ' || character === '\t')) {
      words.push(word)
      word = undefined
    } else if (quote === '' && (character === '"' || character === "'")) quote = character
    else if (quote !== '' && character === quote) quote = ''
    else word += character
  }
  if (quote !== '') return undefined
  return word === undefined ? words : [...words, word]
}
