import { takeFlow, takeQuoted } from './flow-yaml.ts'
import { resolvePlain } from './plain-scalar.ts'
import { hasRoom, type Scanner, skip, startScanner, take } from './text-scanner.ts'
import type { TreeMember, TreeNode } from './tree.ts'

const HEADER = /\|-?(?: *\n| +#.*\n)/y

/**
 * Fast reader for the YAML of most policies: block maps and lists, plain and quoted scalars, literal blocks, flow
 * collections on one line, and comments. Undefined for all other YAML and for errors.
 */
export function readBlockYaml(text: string): TreeNode | undefined {
  if (UNUSUAL.test(text)) return undefined
  const lines: Lines = { ...startScanner(text), indent: 0 }
  toNextLine(lines)
  if (lines.indent === 0 && skip(lines, DOCUMENT_START)) toNextLine(lines)
  const root = lines.indent < 0 ? undefined : readBlock(lines, lines.indent, -1, 0)
  return lines.indent < 0 ? root : undefined
}

// Control characters, other line ends and byte order marks; tabs and carriage returns have special rules.
const UNUSUAL = /[^\n -~\xa0-\u2027\u202a-\ufefe\uff00-\uffff]/
const DOCUMENT_START = /---\n/y

/** A scanner at the first character of a line with content. */
interface Lines extends Scanner {
  /** Indentation of that line; -1 at the end of the text. */
  indent: number
}

const SPACES = / */y
const COMMENT_OR_NOTHING = /(?:#.*)?(?:\n|$)/y

/** Advances from the start of a line to the next one with content. */
function toNextLine(lines: Lines): void {
  for (;;) {
    const start = lines.at
    skip(lines, SPACES)
    lines.indent = lines.at - start
    const next = lines.text.charAt(lines.at)
    if (next === '\n') lines.at++
    else if (next === '#') skip(lines, COMMENT_OR_NOTHING)
    else {
      if (next === '') lines.indent = -1
      return
    }
  }
}

/** Ends a value: only a comment may follow on its line. */
function requireLineEnd<T>(lines: Lines, value: T | undefined): T | undefined {
  if (value === undefined) return undefined
  skip(lines, SPACES)
  if (!atEndOfLine(lines)) return undefined
  toNextLine(lines)
  return value
}

const KEY = /[A-Za-z\d_./$~][^\s:]*(?:(?::(?=\S)| (?=[^\s#:]))[^\s:]*)*(?=:(?:[ \n]|$))/y
const LINE = /.*/y
const COLON = /:(?=[ \n]|$)/y

// The limit of the full parser.
const LONGEST_KEY = 1000

/** The position of a collection. */
interface Place {
  readonly offset: number
  readonly column: number
  readonly depth: number
}

/** A map, list or scalar that starts in this column, with a parent in column `parent`. */
function readBlock(lines: Lines, column: number, parent: number, depth: number): TreeNode | undefined {
  if (!hasRoom(lines, depth)) return undefined
  const { at: offset } = lines
  if (isDash(lines)) return readList(lines, { offset, column, depth })
  const key = takeKey(lines)
  if (key !== undefined) return readMap(lines, key, { offset, column, depth })
  lines.at = offset
  return readInline(lines, parent, depth)
}

function isDash({ text, at }: Lines): boolean {
  const next = text.charAt(at + 1)
  return text.charAt(at) === '-' && (next === ' ' || next === '\n')
}

/** Reads a key with its colon. */
function takeKey(lines: Lines): string | undefined {
  const first = lines.text.charAt(lines.at)
  const key = first === '"' || first === "'" ? takeQuoted(lines) : take(lines, KEY)
  return key !== undefined && key.length <= LONGEST_KEY && skip(lines, COLON) ? key : undefined
}

function readMap(lines: Lines, first: string, { offset, column, depth }: Place): TreeNode | undefined {
  const entries = new Map<string, TreeMember>()
  let keyOffset = offset
  let key: string | undefined = first
  for (;;) {
    if (key === undefined || entries.has(key)) return undefined
    const value = readMember(lines, column, depth + 1)
    if (value === undefined) return undefined
    entries.set(key, { keyOffset, value })
    if (lines.indent < column) return { kind: 'map', offset, entries }
    // A deeper line continues a multi-line text, or is an error.
    if (lines.indent > column) return undefined
    keyOffset = lines.at
    key = takeKey(lines)
  }
}

/** Reads the value after the colon of a key in this column. */
function readMember(lines: Lines, column: number, depth: number): TreeNode | undefined {
  skip(lines, SPACES)
  const { at: end } = lines
  if (!atEndOfLine(lines)) return hasRoom(lines, depth) ? readInline(lines, column, depth) : undefined
  toNextLine(lines)
  const { indent, at: offset } = lines
  if (indent > column) return readBlock(lines, indent, column, depth)
  if (!hasRoom(lines, depth)) return undefined
  // List items may have the indentation of their key.
  if (indent === column && isDash(lines)) return readList(lines, { offset, column, depth })
  return { kind: 'scalar', offset: end, text: '', value: null }
}

/** Skips the rest of a line; false if it contains more than a comment. */
function atEndOfLine(lines: Lines): boolean {
  const before = lines.text.charAt(lines.at - 1)
  return (before === ' ' || lines.text.charAt(lines.at) !== '#') && skip(lines, COMMENT_OR_NOTHING)
}

function readList(lines: Lines, { offset, column, depth }: Place): TreeNode | undefined {
  const items: TreeNode[] = []
  do {
    const item = readItem(lines, column, depth + 1)
    if (item === undefined || lines.indent > column) return undefined
    items.push(item)
  } while (lines.indent === column && isDash(lines))
  return { kind: 'list', offset, items }
}

function readItem(lines: Lines, column: number, depth: number): TreeNode | undefined {
  const start = lines.at
  lines.at++
  skip(lines, SPACES)
  if (atEndOfLine(lines)) {
    toNextLine(lines)
    return lines.indent > column ? readBlock(lines, lines.indent, column, depth) : undefined
  }
  return readBlock(lines, column + lines.at - start, column, depth)
}

const FIRST_OF_PLAIN = /^(?:[A-Za-z\d/._~$+(=^\\;]|-[^\s-])/

/** Reads a value that starts within a line, with a parent in column `parent`. */
function readInline(lines: Lines, parent: number, depth: number): TreeNode | undefined {
  const { text: all, at: offset } = lines
  switch (all.charAt(offset)) {
    case '"':
    case "'": {
      const text = requireLineEnd(lines, takeQuoted(lines))
      return text === undefined ? undefined : { kind: 'scalar', offset, text, value: text }
    }
    case '[':
    case '{':
      return requireLineEnd(lines, takeFlow(lines, depth))
    case '|': {
      const text = takeLiteral(lines, parent)
      if (text === undefined) return undefined
      toNextLine(lines)
      return { kind: 'scalar', offset, text, value: text }
    }
    default: {
      const text = takePlain(lines)
      return text === undefined ? undefined : { kind: 'scalar', offset, text, value: resolvePlain(text) }
    }
  }
}

/** Reads a plain scalar up to the end of its line. */
function takePlain(lines: Lines): string | undefined {
  const line = take(lines, LINE) ?? ''
  const comment = line.indexOf(' #')
  const text = (comment < 0 ? line : line.slice(0, comment)).trimEnd()
  if (!FIRST_OF_PLAIN.test(text) || text.endsWith(':') || text.includes(': ')) return undefined
  return requireLineEnd(lines, text)
}

/** Reads a literal block with a parent in column `parent`, from its `|` to the start of the next line. */
function takeLiteral(scanner: Scanner, parent: number): string | undefined {
  const header = take(scanner, HEADER)
  if (header === undefined) return undefined
  const { text } = scanner
  const indent = indentAt(text, scanner.at)
  // A block that is empty or starts with an empty line is left to the full parser.
  if (indent <= parent || isEnd(text, scanner.at + indent)) return undefined
  const lines: string[] = []
  let size = 0
  for (;;) {
    const start = scanner.at
    const own = indentAt(text, start)
    const isEmpty = isEnd(text, start + own)
    if (start >= text.length || (!isEmpty && own < indent)) {
      // A less indented line must be outside the parent.
      if (start < text.length && own > parent) return undefined
      break
    }
    const end = text.indexOf('\n', start)
    if (end < 0 || (isEmpty && own > indent)) return undefined
    lines.push(text.slice(Math.min(start + indent, end), end))
    if (!isEmpty) size = lines.length
    scanner.at = end + 1
  }
  const value = lines.slice(0, size).join('\n')
  return header.startsWith('|-') ? value : `${value}\n`
}

function indentAt(text: string, start: number): number {
  let at = start
  while (text.charCodeAt(at) === 0x20) at++
  return at - start
}

function isEnd(text: string, at: number): boolean {
  return at >= text.length || text.charCodeAt(at) === 0x0a
}
