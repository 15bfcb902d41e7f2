/** The words of a command line, or the problem. */
export type Words =
  { readonly ok: true; readonly words: readonly string[] } | { readonly ok: false; readonly problem: string }

const BLANKS = ' \t\n'

/** Characters that a backslash escapes inside double quotes. @see POSIX, Shell Command Language, 2.2.3 */
const ESCAPABLE_IN_QUOTES = '$`"\\'

/**
 * Splits a command line into words as a POSIX shell does: blanks, quotes and backslashes. Nothing is expanded: `$`,
 * `*`, `;` and `|` are ordinary characters.
 * @see https://pkg.go.dev/github.com/kballard/go-shellquote#Split
 */
export function splitWords(line: string): Words {
  const words: string[] = []
  let index = skipBlanks(line, 0)
  while (index < line.length) {
    const word = readWord(line, index)
    if ('problem' in word) return { ok: false, problem: word.problem }
    words.push(word.text)
    index = skipBlanks(line, word.end)
  }
  return { ok: true, words }
}

type Piece = { readonly text: string; readonly end: number } | { readonly problem: string }

function skipBlanks(line: string, start: number): number {
  let index = start
  // A backslash at the end of a line continues it.
  for (; index < line.length; index++) {
    if (line.startsWith('\\\n', index)) index++
    else if (!BLANKS.includes(line.charAt(index))) break
  }
  return index
}

function readWord(line: string, start: number): Piece {
  let text = ''
  let index = start
  while (index < line.length && !BLANKS.includes(line.charAt(index))) {
    const piece = readPiece(line, index)
    if ('problem' in piece) return piece
    text += piece.text
    index = piece.end
  }
  return { text, end: index }
}

function readPiece(line: string, start: number): Piece {
  switch (line[start]) {
    case "'":
      return readSingleQuoted(line, start + 1)
    case '"':
      return readDoubleQuoted(line, start + 1)
    case '\\': {
      if (start + 1 === line.length) return { problem: 'Unterminated backslash-escape' }
      const escaped = line.charAt(start + 1)
      return { text: escaped === '\n' ? '' : escaped, end: start + 2 }
    }
    default:
      return { text: line.charAt(start), end: start + 1 }
  }
}

function readSingleQuoted(line: string, start: number): Piece {
  const close = line.indexOf("'", start)
  if (close < 0) return { problem: 'Unterminated single-quoted string' }
  return { text: line.slice(start, close), end: close + 1 }
}

function readDoubleQuoted(line: string, start: number): Piece {
  let text = ''
  for (let index = start; index < line.length; index++) {
    const character = line.charAt(index)
    if (character === '"') return { text, end: index + 1 }
    const next = line.charAt(index + 1)
    if (character !== '\\' || next === '') text += character
    else if (next === '\n') index++
    else if (ESCAPABLE_IN_QUOTES.includes(next)) text += line.charAt(++index)
    else text += character
  }
  return { problem: 'Unterminated double-quoted string' }
}
