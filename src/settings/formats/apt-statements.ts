import { trimBlanksOfC } from '../blanks.ts'

/** A statement of an apt.conf: an option and its value, or a command such as `#clear`. */
export interface AptStatement {
  readonly key: string
  readonly value: string
  readonly line: number
  readonly isCommand: boolean
}

export type AptText =
  { readonly statements: readonly AptStatement[] } | { readonly problem: string; readonly line: number }

/** Bytes that apt reads of a statement. */
const LONGEST = 1023

/** What apt takes a tab for, wherever it stands. */
const TAB = ' '.repeat(8)

/** A part of a line up to `;`, `{` or `}`, which is empty at the end of the line. */
interface Piece {
  readonly text: string
  readonly end: string
  readonly line: number
}

/**
 * The statements of a text. Quotes and comments of one line are those of that line alone, and what follows `;`, `{` or `}` is
 * another statement. @see apt-pkg/contrib/configuration.cc, ReadConfigFile
 */
export function parseAptStatements(text: string): AptText {
  const statements: AptStatement[] = []
  const outer: string[] = []
  let parent = ''
  let buffer = ''
  let start = 1
  for (const { text: part, end, line } of piecesOf(text)) {
    if (buffer === '') start = line
    buffer += buffer === '' || part === '' ? part : ` ${part}`
    if (end === '') continue
    if (end === '{' && buffer === '') return { problem: 'a block without a name', line }
    const words = buffer === '' ? NONE : wordsOf(buffer, end)
    buffer = ''
    if ('problem' in words) return { ...words, line: start }
    const { tag, value } = words
    const key = end === '{' || parent === '' ? joined(parent, tag) : `${parent}::${tag}`
    const isCommand = tag.startsWith('#') || value === '#clear'
    if (value !== undefined && (key !== '' || isCommand))
      statements.push({ key: isCommand ? tag : key, value, line: start, isCommand })
    if (end === '{') {
      outer.push(parent)
      parent = key
    }
    if (end === '}') parent = outer.pop() ?? ''
  }
  return buffer === '' ? { statements } : { problem: 'text without a semicolon', line: start }
}

function piecesOf(text: string): readonly Piece[] {
  return withoutComments(text.split('\n')).flatMap((fragment, index) =>
    Array.from(fragment.matchAll(/(?:"[^"]*"?|[^"{};])*[{};]?/g), ([part]): Piece => {
      const end = /^(?:"[^"]*"|[^"])*$/.test(part) ? (/[{};]$/.exec(part)?.[0] ?? '') : ''
      return { text: trimBlanksOfC(part.slice(0, part.length - end.length)), end, line: index + 1 }
    }),
  )
}

function joined(parent: string, tag: string): string {
  return parent === '' ? tag : `${parent}::${tag}`
}

function withoutComments(lines: readonly string[]): readonly string[] {
  let isInComment = false
  return lines.map((line) => {
    let rest = trimBlanksOfC(line).replaceAll('\t', TAB)
    if (isInComment) {
      const end = rest.indexOf('*/')
      if (end < 0) return ''
      rest = rest.slice(end + 2)
      isInComment = false
    }
    const [before = ''] = /^(?:"[^"]*(?:"|$)|#(?:clear|include)|\/(?!\/)|[^"#/])*/.exec(rest) ?? []
    return before.replaceAll(/("[^"]*(?:"|$))|\/\*(?:[^]*?\*\/|[^]*$)/g, (comment: string, quoted?: string) => {
      if (quoted !== undefined) return quoted
      isInComment = !/^\/\*[^]*\*\/$/.test(comment) && comment !== '/*/'
      return ''
    })
  })
}

type Words = { readonly tag: string; readonly value: string | undefined } | { readonly problem: string }

const NONE: Words = { tag: '', value: undefined }

/** A tag, and a value of quoted texts with spaces between, or of one word; a tag alone is an item of a list. */
function wordsOf(statement: string, end: string): Words {
  if (Buffer.byteLength(statement) > LONGEST) return { problem: `a statement of more than ${LONGEST} bytes` }
  const [tag, rest] = quotedWord(statement)
  if (tag === undefined) return { problem: 'an open quote' }
  if (rest === '') return end === '{' ? { tag, value: undefined } : { tag: '', value: tag }
  if (/^(?:"[^"]*"|[ \t\v\f\r])*$/.test(rest))
    return { tag, value: rest.replaceAll(/"([^"]*)"|[ \t\v\f\r]+/g, (_all, text?: string) => text ?? ' ') }
  const [value, more] = quotedWord(rest)
  return value === undefined || more !== '' ? { problem: 'more than a value' } : { tag, value }
}

/** The word at the start, in which quotes and brackets keep blanks, and `%20` is a character; then what follows it. */
function quotedWord(text: string): readonly [word: string | undefined, rest: string] {
  const [word = ''] = /^ *(?:"[^"]*"|\[[^\]]*\]|[^ \t\v\f\r"[])*/.exec(text) ?? []
  const rest = text.slice(word.length)
  if (trimBlanksOfC(word) === '' || /^["[]/.test(rest)) return [undefined, text]
  const decoded = word.replace(/^ +/, '').replaceAll(/%([0-9a-fA-F]{2})|"/g, (_all, digits?: string) => {
    return digits === undefined ? '' : String.fromCharCode(Number.parseInt(digits, 16))
  })
  return [decoded, rest.replace(/^[ \t\v\f\r]+/, '')]
}
