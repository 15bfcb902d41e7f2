import { withBlanksOfC } from '../../../settings/blanks.ts'

/** Part of a word: literal text or a variable name. Quoted variables are not split at spaces. */
export interface WordPart {
  readonly kind: 'text' | 'variable'
  readonly text: string
  readonly quoted: boolean
}

/** Word of a GRUB script; only a word without quoted parts can be a keyword or brace. */
export type Word = readonly WordPart[]

/** Command with its words and its first line. */
export interface Statement {
  readonly line: number
  readonly words: readonly [Word, ...Word[]]
}

const VARIABLE = /^\$(?:\{([^}]*)\}|([A-Za-z_]\w*|[0-9@*#?]))/

/**
 * Commands of a GRUB script, with braces and keywords as words; undefined if a quote is not closed.
 * @see grub manual, shell-like scripting
 */
export function readStatements(text: string): readonly Statement[] | undefined {
  const statements: Statement[] = []
  let words: Word[] = []
  let line = 1
  let start = 1
  const end = (): void => {
    const [first, ...others] = words
    if (first !== undefined) statements.push({ line: start, words: [first, ...others] })
    words = []
  }
  for (let at = 0; at < text.length;) {
    const [space] = /^(?:[ \t\r]|\\\n)+/.exec(text.slice(at, at + 4096)) ?? ['']
    line += countLines(space)
    at += space.length
    const character = text[at]
    if (space !== '' || character === undefined) continue
    if (character === '\n' || character === ';') {
      end()
      if (character === '\n') line += 1
      at += 1
    } else if (character === '#') {
      const next = text.indexOf('\n', at)
      at = next === -1 ? text.length : next
    } else {
      if (words.length === 0) start = line
      const word = readWord(text, at)
      if (word === undefined) return undefined
      words.push(word.parts)
      line += countLines(text.slice(at, word.end))
      at = word.end
      if (bareOf(word.parts) === '{') end()
    }
  }
  end()
  return statements
}

function countLines(text: string): number {
  return text.split('\n').length - 1
}

const END_OF_WORD = withBlanksOfC(/[\s;]/)

/** Word at a position, and its end; undefined if a quote is not closed. */
function readWord(text: string, from: number): { readonly parts: Word; readonly end: number } | undefined {
  const parts: WordPart[] = []
  let at = from
  while (at < text.length && !END_OF_WORD.test(text[at] ?? '')) {
    const part = text[at] === '"' ? readDouble(text, at + 1) : readPlain(text, at)
    if (part === undefined) return undefined
    parts.push(...part.parts)
    at = part.end
  }
  return { parts, end: at }
}

interface Piece {
  readonly parts: readonly WordPart[]
  readonly end: number
}

function readPlain(text: string, at: number): Piece | undefined {
  if (text[at] === "'") {
    const close = text.indexOf("'", at + 1)
    if (close === -1) return undefined
    return { parts: [{ kind: 'text', text: text.slice(at + 1, close), quoted: true }], end: close + 1 }
  }
  if (text[at] === '\\') {
    const isJoined = text[at + 1] === '\n'
    return {
      parts: isJoined ? [] : [{ kind: 'text', text: text.slice(at + 1, at + 2), quoted: true }],
      end: at + 2,
    }
  }
  const rest = text.slice(at, at + 4096)
  const [whole, braced, bare] = VARIABLE.exec(rest) ?? []
  if (whole !== undefined) {
    return { parts: [{ kind: 'variable', text: braced ?? bare ?? '', quoted: false }], end: at + whole.length }
  }
  const [run = ''] = withBlanksOfC(/^(?:\$|[^\s;'"\\$]+)/).exec(rest) ?? []
  return { parts: [{ kind: 'text', text: run, quoted: false }], end: at + run.length }
}

/** Text in double quotes, from after the opening quote. */
function readDouble(text: string, from: number): Piece | undefined {
  const parts: WordPart[] = [{ kind: 'text', text: '', quoted: true }]
  for (let at = from; at < text.length;) {
    const rest = text.slice(at, at + 4096)
    if (rest.startsWith('"')) return { parts, end: at + 1 }
    const [escape, escaped] = /^\\([$"\\\n])/.exec(rest) ?? []
    const [whole, braced, bare] = VARIABLE.exec(rest) ?? []
    const [run = ''] = /^(?:[^"\\$]+|[\\$])/.exec(rest) ?? []
    if (escape !== undefined) parts.push({ kind: 'text', text: escaped === '\n' ? '' : (escaped ?? ''), quoted: true })
    else if (whole !== undefined) parts.push({ kind: 'variable', text: braced ?? bare ?? '', quoted: true })
    else parts.push({ kind: 'text', text: run, quoted: true })
    at += (escape ?? whole ?? run).length
  }
  return undefined
}

/** Text of a word without variables; undefined otherwise. */
export function literalOf(word: Word | undefined): string | undefined {
  if (word === undefined || word.some(({ kind }) => kind === 'variable')) return undefined
  return word.map(({ text }) => text).join('')
}

/** Text of an unquoted word, such as a keyword or brace. */
export function bareOf(word: Word | undefined): string | undefined {
  return word?.some(({ quoted }) => quoted) === true ? undefined : literalOf(word)
}

/** Display text of a word, with variables as `$name`. */
export function shownWord(word: Word | undefined): string {
  return (word ?? []).map(({ kind, text }) => (kind === 'variable' ? `$${text}` : text)).join('')
}
