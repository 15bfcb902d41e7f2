/** The words of a line of an inventory, or why it has none. */
export type LineWords = { readonly words: readonly string[] } | { readonly message: string }

const BLANK = /[ \t\r\n]/

/**
 * Splits a line as Python's `shlex.split` does with comments: a backslash takes the meaning of anything outside of quotes and of `"` and `\`
 * between double ones, and a `#` ends the line wherever it stands outside of quotes, inside of a word, too.
 */
export function lineWords(line: string): LineWords {
  const words: string[] = []
  let word: string | undefined
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at)
    if (character === '#') break
    if (BLANK.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else if (character === '"' || character === "'") {
      const quoted = quotedText(line, at)
      if (quoted === undefined) return { message: `has a ${character} without its second one` }
      word = (word ?? '') + quoted.text
      at = quoted.end
    } else if (character === '\\') {
      at++
      if (at === line.length) return { message: 'ends with a backslash' }
      word = (word ?? '') + line.charAt(at)
    } else {
      word = (word ?? '') + character
    }
  }
  if (word !== undefined) words.push(word)
  return { words }
}

function quotedText(line: string, start: number): { readonly text: string; readonly end: number } | undefined {
  const quote = line.charAt(start)
  let text = ''
  for (let at = start + 1; at < line.length; at++) {
    const character = line.charAt(at)
    if (character === quote) return { text, end: at }
    const next = line.charAt(at + 1)
    const isEscape = character === '\\' && quote === '"' && (next === '"' || next === '\\')
    text += isEscape ? next : character
    if (isEscape) at++
  }
  return undefined
}
