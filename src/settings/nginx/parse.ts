import { known, type Reading, unknown } from '../../model/observation.ts'
import { openLines } from '../../model/line-numbers.ts'

/** A directive with its offsets in the text. */
export interface Directive {
  readonly name: string
  readonly args: readonly string[]
  /** Counted from 1. */
  readonly line: number
  readonly start: number
  /** After the `;`, or after the `{` of a block. */
  readonly end: number
  /** The directives in its block; undefined without a block. */
  readonly block?: readonly Directive[]
}

/** Blocks that do not contain directives. */
export const DATA_BLOCKS = 'map|types|geo|split_clients|charset_map|match'
const OPAQUE = new RegExp(`^(?:${DATA_BLOCKS})$`)

interface Token {
  readonly kind: 'word' | ';' | '{' | '}'
  readonly text: string
  readonly start: number
  readonly end: number
}

/** Parses a file as nginx does; unknown if nginx would reject it. @see ngx_conf_read_token */
export function parseNginx(text: string, file: string): Reading<readonly Directive[]> {
  const tokens = tokensOf(text)
  const lineAt = openLines(text)
  if (typeof tokens === 'number') return unknown('invalid', `${file}:${lineAt(tokens)}: nginx rejects this line`)
  const root: Directive[] = []
  const open: { readonly into: Directive[]; readonly isOpaque: boolean }[] = [{ into: root, isOpaque: false }]
  let words: Token[] = []
  for (const token of tokens) {
    if (token.kind === 'word') {
      words.push(token)
      continue
    }
    const inner = open.at(-1)
    const [head, ...args] = words
    const isWrong = token.kind === '}' ? head !== undefined || open.length === 1 : head === undefined
    if (inner === undefined || isWrong)
      return unknown('invalid', `${file}:${lineAt(token.start)}: nginx rejects this line`)
    words = []
    if (token.kind === '}' || head === undefined) {
      open.pop()
      continue
    }
    if (head.text.endsWith('_by_lua_block'))
      return unknown('invalid', `${file}:${lineAt(head.start)}: inline Lua is not supported`)
    const block: Directive[] | undefined = token.kind === '{' ? [] : undefined
    if (!inner.isOpaque)
      inner.into.push({
        name: head.text,
        args: args.map((each) => each.text),
        line: lineAt(head.start),
        start: head.start,
        end: token.end,
        ...(block === undefined ? {} : { block }),
      })
    if (block !== undefined) open.push({ into: block, isOpaque: inner.isOpaque || OPAQUE.test(head.text) })
  }
  if (open.length > 1 || words.length > 0)
    return unknown('invalid', `${file}: nginx rejects the end of the file: } or ; is missing`)
  return known(root)
}

const SEPARATOR = /[ \t\r\n]/
const ESCAPES: Readonly<Record<string, string>> = { t: '\t', r: '\r', n: '\n', '"': '"', "'": "'", '\\': '\\' }

/** All tokens, or the offset of one that nginx rejects. */
function tokensOf(text: string): readonly Token[] | number {
  const tokens: Token[] = []
  let at = 0
  while (at < text.length) {
    const character = text[at] ?? ''
    if (SEPARATOR.test(character)) at += 1
    else if (character === '#') at = endOfLine(text, at)
    else if (character === ';' || character === '{' || character === '}') {
      tokens.push({ kind: character, text: character, start: at, end: at + 1 })
      at += 1
    } else {
      const word = character === '"' || character === "'" ? quotedAt(text, at) : wordAt(text, at)
      if (word === undefined) return at
      tokens.push(word)
      at = word.end
    }
  }
  return tokens
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}

function quotedAt(text: string, start: number): Token | undefined {
  const quote = text[start]
  let at = start + 1
  while (at < text.length && text[at] !== quote) at += text[at] === '\\' ? 2 : 1
  if (at >= text.length) return undefined
  const next = text[at + 1] ?? ' '
  if (!SEPARATOR.test(next) && !/[;{)]/.test(next)) return undefined
  return { kind: 'word', text: unescapeWord(text.slice(start + 1, at)), start, end: at + 1 }
}

/** A word ends at white space, `;` or `{`, except for the `{` of `${`. */
function wordAt(text: string, start: number): Token | undefined {
  let at = start
  while (at < text.length) {
    const character = text[at] ?? ''
    if (character === '\\') at += 2
    else if (character === '$' && text[at + 1] === '{') at += 2
    else if (SEPARATOR.test(character) || character === ';' || character === '{') break
    else at += 1
  }
  return at > text.length ? undefined : { kind: 'word', text: unescapeWord(text.slice(start, at)), start, end: at }
}

function unescapeWord(written: string): string {
  return written.replace(/\\(.)/gs, (whole, letter: string) => ESCAPES[letter] ?? whole)
}
