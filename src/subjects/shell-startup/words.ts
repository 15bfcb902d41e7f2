import { openLines } from '../../model/line-numbers.ts'
import type { Command, Part, Word } from './ast.ts'

/** Unsupported or invalid syntax. */
export class NotUnderstood extends Error {}

/** Reads the commands up to a closing parenthesis, for `$(…)`. */
export type ReadCommands = (cursor: Cursor) => readonly Command[]

export interface Cursor {
  readonly text: string
  /** The line of an offset, from 1. */
  readonly lineOf: (offset: number) => number
  /** Whether the shell is bash: other shells reject some of its syntax, or parse it differently. */
  readonly isBash: boolean
  at: number
  /** Here-documents to read after the next newline. */
  readonly pending: { readonly end: string; readonly isIndented: boolean }[]
}

/** Throws a `NotUnderstood` in shells other than bash. */
export function onlyInBash({ isBash }: Cursor, what: string): void {
  if (!isBash) throw new NotUnderstood(`${what} is a bash extension`)
}

/** Line number of the cursor, from 1. */
export function lineAt({ lineOf, at }: Cursor): number {
  return lineOf(at)
}

const ENDS = new Set([' ', '\t', '\n', ';', '&', '|', '<', '>', '(', ')'])

/** Reads one word; empty if no word starts here. */
export function readWord(cursor: Cursor, commands: ReadCommands, ends: ReadonlySet<string> = ENDS): Word {
  const parts: Part[] = []
  while (cursor.at < cursor.text.length) {
    const character = cursor.text[cursor.at] ?? ''
    if (ends.has(character) && !isProcess(cursor)) break
    readPart(cursor, commands, parts)
  }
  return parts
}

/** Process substitutions `<(…)` and `>(…)` are words. */
function isProcess({ text, at }: Cursor): boolean {
  return (text[at] === '<' || text[at] === '>') && text[at + 1] === '('
}

function readPart(cursor: Cursor, commands: ReadCommands, parts: Part[]): void {
  const { text } = cursor
  const character = text[cursor.at] ?? ''
  if (isProcess(cursor)) {
    onlyInBash(cursor, 'process substitution')
    cursor.at += 2
    commands(cursor)
    parts.push({ kind: 'strange', text: '', isQuoted: true })
  } else if (character === '\\') {
    if (text[cursor.at + 1] !== '\n') add(parts, text[cursor.at + 1] ?? '\\', true)
    cursor.at += 2
  } else if (character === "'") {
    const end = text.indexOf("'", cursor.at + 1)
    if (end < 0) throw new NotUnderstood('unterminated quote')
    add(parts, text.slice(cursor.at + 1, end), true)
    cursor.at = end + 1
  } else if (character === '"') {
    readDouble(cursor, commands, parts)
  } else if (character === '$' || character === '`') {
    readDollar(cursor, commands, { parts, isQuoted: false })
  } else {
    add(parts, character, false)
    cursor.at += 1
  }
}

function add(parts: Part[], text: string, isQuoted: boolean): void {
  const last = parts.at(-1)
  if (last?.kind === 'text' && last.isQuoted === isQuoted) {
    parts[parts.length - 1] = { kind: 'text', text: last.text + text, isQuoted }
  } else parts.push({ kind: 'text', text, isQuoted })
}

function readDouble(cursor: Cursor, commands: ReadCommands, parts: Part[]): void {
  const { text } = cursor
  cursor.at += 1
  add(parts, '', true)
  while (text[cursor.at] !== '"') {
    const character = text[cursor.at]
    if (character === undefined) throw new NotUnderstood('unterminated quote')
    if (character === '$' || character === '`') {
      readDollar(cursor, commands, { parts, isQuoted: true })
    } else if (character === '\\' && /[$`"\\\n]/.test(text[cursor.at + 1] ?? '')) {
      if (text[cursor.at + 1] !== '\n') add(parts, text[cursor.at + 1] ?? '', true)
      cursor.at += 2
    } else {
      add(parts, character, true)
      cursor.at += 1
    }
  }
  cursor.at += 1
}

interface Into {
  readonly parts: Part[]
  readonly isQuoted: boolean
}

function readDollar(cursor: Cursor, commands: ReadCommands, { parts, isQuoted }: Into): void {
  const { text } = cursor
  const next = text[cursor.at + 1] ?? ''
  if (text[cursor.at] === '`') {
    parts.push({ kind: 'command', commands: readBackticks(cursor, commands, isQuoted), isQuoted })
  } else if (text.startsWith('$((', cursor.at)) {
    parts.push({ kind: 'strange', text: readArithmetic(cursor, 3), isQuoted })
  } else if (next === '(') {
    cursor.at += 2
    parts.push({ kind: 'command', commands: commands(cursor), isQuoted })
  } else if (next === '{') {
    readBraced(cursor, commands, { parts, isQuoted })
  } else if (next === "'" && !isQuoted) {
    readAnsi(cursor, parts)
  } else if (next === '"' && !isQuoted) {
    cursor.at += 1
    readDouble(cursor, commands, parts)
  } else {
    const [, name] = /^\$([A-Za-z_]\w*|[0-9@*#?$!-])/.exec(text.slice(cursor.at, cursor.at + 200)) ?? []
    if (name === undefined) {
      add(parts, '$', isQuoted)
      cursor.at += 1
    } else {
      parts.push({ kind: 'variable', name, isQuoted })
      cursor.at += 1 + name.length
    }
  }
}

function readAnsi(cursor: Cursor, parts: Part[]): void {
  const [all, inner = ''] = /^\$'((?:[^'\\]|\\[^])*)'/.exec(cursor.text.slice(cursor.at)) ?? []
  if (all === undefined) throw new NotUnderstood('unterminated quote')
  cursor.at += all.length
  parts.push({ kind: 'strange', text: inner, isQuoted: true })
}

/** Reads text up to the two closing parentheses. */
export function readArithmetic(cursor: Cursor, skip: number): string {
  const start = cursor.at + skip
  let depth = 0
  for (let at = start; at < cursor.text.length; at += 1) {
    const character = cursor.text[at]
    if (character === '(') depth += 1
    if (character !== ')') continue
    if (depth > 0) depth -= 1
    else if (cursor.text[at + 1] === ')') {
      cursor.at = at + 2
      return cursor.text.slice(start, at)
    } else throw new NotUnderstood('unclosed ((')
  }
  throw new NotUnderstood('unclosed ((')
}

function readBackticks(cursor: Cursor, commands: ReadCommands, isQuoted: boolean): readonly Command[] {
  const { text } = cursor
  let inner = ''
  for (cursor.at += 1; text[cursor.at] !== '`'; cursor.at += 1) {
    if (cursor.at >= text.length) throw new NotUnderstood('unterminated backtick')
    const next = text[cursor.at + 1] ?? ''
    if (text[cursor.at] === '\\' && (/[$`\\]/.test(next) || (isQuoted && next === '"'))) cursor.at += 1
    inner += text[cursor.at] ?? ''
  }
  cursor.at += 1
  const source = `${inner}\n)`
  return commands({ text: source, lineOf: openLines(source), isBash: cursor.isBash, at: 0, pending: [] })
}

const OPERATORS = /^(?::[-=?+]|[-=?+]|##|#|%%|%)/
const OPERAND_ENDS = new Set(['}'])

/** Reads `${name}`, `${name:-word}` and the like; other operators of bash are unsupported. */
function readBraced(cursor: Cursor, commands: ReadCommands, { parts, isQuoted }: Into): void {
  const start = cursor.at
  const rest = cursor.text.slice(cursor.at + 2, cursor.at + 300)
  const [name = ''] = /^(?:[A-Za-z_]\w*|\d+|[@*?$!#-](?=[}:%#+=?-]))/.exec(rest) ?? []
  const [operator = ''] = name === '' ? [] : (OPERATORS.exec(rest.slice(name.length)) ?? [])
  cursor.at += 2 + name.length + operator.length
  const operand = readOperand(cursor, commands, isQuoted)
  if (cursor.text[cursor.at] !== '}') throw new NotUnderstood('unclosed brace')
  cursor.at += 1
  if (name !== '' && operator !== '') parts.push({ kind: 'variable', name, isQuoted, operator, operand })
  else if (name !== '' && operand.length === 0) parts.push({ kind: 'variable', name, isQuoted })
  // dash ends a file at one of bash.
  else if (!cursor.isBash) throw new NotUnderstood('bad substitution')
  else parts.push({ kind: 'strange', text: cursor.text.slice(start, cursor.at), isQuoted })
}

/** Inside double quotes, single quotes are literal. */
function readOperand(cursor: Cursor, commands: ReadCommands, isQuoted: boolean): Word {
  if (!isQuoted) return readWord(cursor, commands, OPERAND_ENDS)
  const parts: Part[] = []
  while (cursor.at < cursor.text.length && cursor.text[cursor.at] !== '}') {
    if (cursor.text[cursor.at] === "'") {
      add(parts, "'", true)
      cursor.at += 1
    } else readPart(cursor, commands, parts)
  }
  return parts
}
