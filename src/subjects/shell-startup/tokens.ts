import { type AssignmentWord, bareOf, type Command, literalOf, type Part, type Redirection, type Word } from './ast.ts'
import { type Cursor, NotUnderstood, onlyInBash, type ReadCommands, readWord } from './words.ts'

export const STRANGE: Word = [{ kind: 'strange', text: '', isQuoted: true }]

/** Skips spaces, line continuations, and a comment. */
export function skipSpace(cursor: Cursor): void {
  const { text } = cursor
  for (;;) {
    const character = text[cursor.at]
    if (character === ' ' || character === '\t') cursor.at += 1
    else if (character === '\\' && text[cursor.at + 1] === '\n') cursor.at += 2
    else if (character === '#') {
      const end = text.indexOf('\n', cursor.at)
      cursor.at = end < 0 ? text.length : end
    } else return
  }
}

/** Also skips newlines and the here-documents after them; true at the end of the text. */
export function skipBlank(cursor: Cursor): boolean {
  for (;;) {
    skipSpace(cursor)
    if (cursor.text[cursor.at] !== '\n') return cursor.at >= cursor.text.length
    cursor.at += 1
    for (const { end, isIndented } of cursor.pending.splice(0)) skipDocument(cursor, end, isIndented)
  }
}

function skipDocument(cursor: Cursor, end: string, isIndented: boolean): void {
  while (cursor.at < cursor.text.length) {
    const newline = cursor.text.indexOf('\n', cursor.at)
    const line = cursor.text.slice(cursor.at, newline < 0 ? undefined : newline)
    cursor.at = newline < 0 ? cursor.text.length : newline + 1
    if ((isIndented ? line.replace(/^\t+/, '') : line) === end) return
  }
}

/** The unquoted word at the cursor, which does not move; otherwise undefined. */
export function peekBare(cursor: Cursor): string | undefined {
  const [word] = /^[A-Za-z!{}[\]]+(?=[ \t\n;&|<>()]|$)/.exec(cursor.text.slice(cursor.at, cursor.at + 40)) ?? []
  return word
}

const REDIRECTION = /^(?:\d*|&)(?:<<-?|<<<|<&|>&|>>|<>|>\||<|>)/
const HARMLESS = new Set(['/dev/null', '/dev/tty', '/dev/stdout', '/dev/stderr'])

/** Reads a redirection at the cursor, if any. */
export function readRedirection(cursor: Cursor, commands: ReadCommands): Redirection | undefined {
  skipSpace(cursor)
  const rest = cursor.text.slice(cursor.at, cursor.at + 20)
  const [sign] = /^\d*<<</.exec(rest) ?? REDIRECTION.exec(rest) ?? []
  if (sign === undefined || (/^[<>]$/.test(sign) && rest[1] === '(')) return undefined
  cursor.at += sign.length
  skipSpace(cursor)
  const word = readWord(cursor, commands)
  if (word.length === 0) throw new NotUnderstood('a redirection without a target')
  const text = literalOf(word)
  if (sign.endsWith('<<<') || sign.startsWith('&')) onlyInBash(cursor, sign)
  if (sign.endsWith('<<<')) return 'harmless'
  if (/<<-?$/.test(sign)) {
    if (text === undefined) throw new NotUnderstood('the delimiter of a here-document is unknown')
    cursor.pending.push({ end: text, isIndented: sign.endsWith('-') })
    return 'harmless'
  }
  const isDescriptor = sign.endsWith('&') && /^(?:[012]|-)$/.test(text ?? '')
  return isDescriptor || HARMLESS.has(text ?? '') ? 'harmless' : 'may-fail'
}

export function worseRedirection(one: Redirection, other: Redirection): Redirection {
  if (one === 'may-fail' || other === 'may-fail') return 'may-fail'
  return one === 'harmless' ? one : other
}

/** Parses `name=value`, `name+=value` or `name[…]=value`, the last with an unsupported value. */
export function assignmentOf(word: Word): AssignmentWord | undefined {
  const [first, ...others] = word
  if (first?.kind !== 'text' || first.isQuoted) return undefined
  const [all = '', name = '', subscript, plus] = /^([A-Za-z_]\w*)(\[[^\]]*\])?(\+?)=/.exec(first.text) ?? []
  if (name === '') return undefined
  const rest = first.text.slice(all.length)
  const value: Part[] = [...(rest === '' ? [] : [{ ...first, text: rest }]), ...others]
  return { name, value: subscript === undefined ? value : STRANGE, appends: plus === '+' }
}

/** Whether the word starts an array argument of `declare` and the like. */
export function isArrayStart(cursor: Cursor, word: Word): boolean {
  return cursor.text[cursor.at] === '(' && /^[A-Za-z_]\w*\+?=$/.test(bareOf(word) ?? '')
}

export function skipArray(cursor: Cursor, commands: ReadCommands): void {
  onlyInBash(cursor, 'an array')
  cursor.at += 1
  for (;;) {
    if (skipBlank(cursor)) throw new NotUnderstood('unclosed array')
    if (cursor.text[cursor.at] === ')') break
    if (readWord(cursor, commands).length === 0) throw new NotUnderstood('unsupported array')
  }
  cursor.at += 1
}

export function sequence(line: number, commands: readonly Command[]): Command {
  return { kind: 'sequence', line, commands }
}
