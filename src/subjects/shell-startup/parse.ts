import { openLines } from '../../model/line-numbers.ts'
import { type AssignmentWord, bareOf, type Command, literalOf, type Redirection, type Word } from './ast.ts'
import * as tokens from './tokens.ts'
import { assignmentOf, isArrayStart, peekBare, sequence, skipBlank, skipSpace, STRANGE } from './tokens.ts'
import { type Cursor, lineAt, NotUnderstood, onlyInBash, readArithmetic, readWord } from './words.ts'

/**
 * Parses commands like bash and dash. Ends with an opaque command at unsupported syntax: shells run the commands before a syntax
 * error.
 */
export function parseShell(text: string, shell: 'bash' | 'sh'): Command {
  if (text.includes('\0')) return sequence(1, [{ kind: 'opaque', line: 1, reason: 'it has a NUL byte' }])
  const cursor: Cursor = { text, lineOf: openLines(text), isBash: shell === 'bash', at: 0, pending: [] }
  const commands: Command[] = []
  try {
    while (!skipBlank(cursor)) {
      if (readList(cursor, commands) !== 'end') throw new NotUnderstood(`unexpected ${cursor.text[cursor.at]}`)
    }
  } catch (error) {
    if (!(error instanceof NotUnderstood) && !(error instanceof RangeError)) throw error
    const reason = error instanceof NotUnderstood ? error.message : 'nested too deeply'
    commands.push({ kind: 'opaque', line: lineAt(cursor), reason })
  }
  return sequence(1, commands)
}

/** Reserved words that end a list of commands. */
const CLOSING = new Set(['then', 'elif', 'else', 'fi', 'do', 'done', 'esac', '}'])

/** Reads commands up to a closing word or sign. Keeps the commands of a line even if the next line has a syntax error. */
function readList(cursor: Cursor, commands: Command[]): 'end' | 'closing' {
  for (;;) {
    if (skipBlank(cursor)) return 'end'
    if (isClosing(cursor)) return 'closing'
    const line = lineAt(cursor)
    const command = readAndOr(cursor)
    skipSpace(cursor)
    const isBackground = cursor.text[cursor.at] === '&'
    commands.push(isBackground ? { kind: 'background', line } : command)
    if (isBackground) cursor.at += 1
    else if (isClosing(cursor)) return 'closing'
    else if (cursor.text[cursor.at] === ';') cursor.at += 1
    else if (!/^\n?$/.test(cursor.text[cursor.at] ?? ''))
      throw new NotUnderstood(`unexpected ${cursor.text[cursor.at]}`)
  }
}

function isClosing(cursor: Cursor): boolean {
  return /^(?:\)|;;|;&)/.test(cursor.text.slice(cursor.at, cursor.at + 2)) || CLOSING.has(peekBare(cursor) ?? '')
}

const takeWord = (cursor: Cursor): Word => readWord(cursor, readInParentheses)

/** Reads a list up to one of these words. */
function readUntil(cursor: Cursor, ...ends: readonly string[]): { readonly body: Command; readonly end: string } {
  const line = lineAt(cursor)
  const commands: Command[] = []
  readList(cursor, commands)
  const end = peekBare(cursor) ?? ''
  if (!ends.includes(end)) throw new NotUnderstood(`missing ${ends.join(' or ')}`)
  takeWord(cursor)
  return { body: sequence(line, commands), end }
}

function readInParentheses(cursor: Cursor): readonly Command[] {
  const commands: Command[] = []
  readList(cursor, commands)
  if (cursor.text[cursor.at] !== ')') throw new NotUnderstood('unclosed parenthesis')
  cursor.at += 1
  return commands
}

function readAndOr(cursor: Cursor): Command {
  let left = readPipe(cursor)
  for (;;) {
    skipSpace(cursor)
    const operator = cursor.text.slice(cursor.at, cursor.at + 2)
    if (operator !== '&&' && operator !== '||') return left
    cursor.at += 2
    skipBlank(cursor)
    const right = readPipe(cursor)
    left = { kind: operator === '&&' ? 'and' : 'or', line: left.line, left, right }
  }
}

function readPipe(cursor: Cursor): Command {
  const line = lineAt(cursor)
  let isNegated = false
  for (let word = peekBare(cursor); word === '!' || word === 'time'; word = peekBare(cursor)) {
    if (word === '!') isNegated = !isNegated
    takeWord(cursor)
    skipSpace(cursor)
  }
  const first = readCommand(cursor)
  let command = first
  for (;;) {
    skipSpace(cursor)
    if (cursor.text[cursor.at] !== '|' || cursor.text[cursor.at + 1] === '|') break
    cursor.at += cursor.text[cursor.at + 1] === '&' ? 2 : 1
    skipBlank(cursor)
    readCommand(cursor)
    command = { kind: 'subshell', line, command: first, isPipe: true }
  }
  return isNegated ? { kind: 'not', line, command } : command
}

function readCommand(cursor: Cursor): Command {
  const line = lineAt(cursor)
  const compound = readCompound(cursor, line)
  if (compound === undefined) return readSimple(cursor, line)
  let redirection: Redirection = 'none'
  for (
    let next = tokens.readRedirection(cursor, readInParentheses);
    next !== undefined;
    next = tokens.readRedirection(cursor, readInParentheses)
  ) {
    redirection = tokens.worseRedirection(redirection, next)
  }
  return redirection === 'may-fail' ? { kind: 'redirected', line, command: compound, redirection } : compound
}

function readCompound(cursor: Cursor, line: number): Command | undefined {
  if (cursor.text.startsWith('((', cursor.at)) {
    onlyInBash(cursor, 'an arithmetic command')
    return { kind: 'arithmetic', line, text: readArithmetic(cursor, 2) }
  }
  if (cursor.text[cursor.at] === '(') {
    cursor.at += 1
    const commands = readInParentheses(cursor)
    return { kind: 'subshell', line, command: sequence(line, commands), isPipe: false }
  }
  const word = peekBare(cursor)
  if (word === undefined || !(word in COMPOUNDS)) return undefined
  takeWord(cursor)
  return COMPOUNDS[word as keyof typeof COMPOUNDS](cursor, line)
}

const COMPOUNDS = {
  if: readIf,
  while: (cursor: Cursor, line: number): Command => readWhile(cursor, line, false),
  until: (cursor: Cursor, line: number): Command => readWhile(cursor, line, true),
  for: readFor,
  select(cursor: Cursor, line: number): Command {
    onlyInBash(cursor, 'select')
    return readFor(cursor, line)
  },
  case: readCase,
  function: readFunction,
  coproc: (): Command => {
    throw new NotUnderstood('coproc is not supported')
  },
  '{': (cursor: Cursor): Command => readUntil(cursor, '}').body,
  '[[': readCondition,
} as const

function readIf(cursor: Cursor, line: number): Command {
  const condition = readUntil(cursor, 'then').body
  const then = readUntil(cursor, 'elif', 'else', 'fi')
  const nothing = sequence(line, [])
  if (then.end === 'fi') return { kind: 'if', line, condition, then: then.body, otherwise: nothing }
  const otherwise = then.end === 'elif' ? readIf(cursor, lineAt(cursor)) : readUntil(cursor, 'fi').body
  return { kind: 'if', line, condition, then: then.body, otherwise }
}

function readWhile(cursor: Cursor, line: number, until: boolean): Command {
  const condition = readUntil(cursor, 'do').body
  return { kind: 'while', line, condition, until, body: readUntil(cursor, 'done').body }
}

function readFor(cursor: Cursor, line: number): Command {
  skipSpace(cursor)
  if (cursor.text.startsWith('((', cursor.at)) {
    onlyInBash(cursor, 'an arithmetic for loop')
    const condition: Command = { kind: 'arithmetic', line, text: readArithmetic(cursor, 2) }
    return { kind: 'while', line, condition, until: false, body: readLoopBody(cursor) }
  }
  const name = bareOf(takeWord(cursor)) ?? ''
  if (!/^[A-Za-z_]\w*$/.test(name)) throw new NotUnderstood('invalid loop variable')
  skipBlank(cursor)
  let words: Word[] | undefined
  if (peekBare(cursor) === 'in') {
    takeWord(cursor)
    words = []
    for (skipSpace(cursor); !/^[;\n]?$/.test(cursor.text[cursor.at] ?? ''); skipSpace(cursor)) {
      words.push(takeWord(cursor))
    }
  }
  return { kind: 'for', line, name, words, body: readLoopBody(cursor) }
}

function readLoopBody(cursor: Cursor): Command {
  skipSpace(cursor)
  if (cursor.text[cursor.at] === ';') cursor.at += 1
  skipBlank(cursor)
  if (peekBare(cursor) !== 'do') throw new NotUnderstood('missing do')
  takeWord(cursor)
  return readUntil(cursor, 'done').body
}

function readCase(cursor: Cursor, line: number): Command {
  skipSpace(cursor)
  const word = takeWord(cursor)
  skipBlank(cursor)
  if (peekBare(cursor) !== 'in') throw new NotUnderstood('missing in')
  takeWord(cursor)
  const alternatives: Extract<Command, { kind: 'case' }>['alternatives'][number][] = []
  for (;;) {
    if (skipBlank(cursor)) throw new NotUnderstood('missing esac')
    if (peekBare(cursor) === 'esac') break
    if (cursor.text[cursor.at] === '(') cursor.at += 1
    const patterns: Word[] = []
    do {
      if (cursor.text[cursor.at] === '|') cursor.at += 1
      skipSpace(cursor)
      patterns.push(takeWord(cursor))
      skipSpace(cursor)
    } while (cursor.text[cursor.at] === '|')
    if (cursor.text[cursor.at] !== ')' || patterns.some((pattern) => pattern.length === 0))
      throw new NotUnderstood('unsupported pattern')
    cursor.at += 1
    const commands: Command[] = []
    const at = lineAt(cursor)
    readList(cursor, commands)
    const end = /^;;&?|^;&/.exec(cursor.text.slice(cursor.at, cursor.at + 3))?.[0] ?? ''
    cursor.at += end.length
    if (end === '' && peekBare(cursor) !== 'esac') throw new NotUnderstood('missing ;;')
    alternatives.push({ patterns, body: sequence(at, commands), goesOn: end.endsWith('&') })
  }
  takeWord(cursor)
  return { kind: 'case', line, word, alternatives }
}

function readFunction(cursor: Cursor, line: number): Command {
  onlyInBash(cursor, 'function')
  skipSpace(cursor)
  const name = literalOf(takeWord(cursor)) ?? ''
  skipSpace(cursor)
  opensFunction(cursor)
  return readBody(cursor, line, name)
}

function readBody(cursor: Cursor, line: number, name: string): Command {
  skipBlank(cursor)
  const body = readCommand(cursor)
  const isName = cursor.isBash ? name !== '' : /^[A-Za-z_]\w*$/.test(name)
  if (!isName || body.kind === 'simple') throw new NotUnderstood('unsupported function definition')
  return { kind: 'function', line, name, body }
}

/** Inside `[[ ]]`, the signs `&&`, `||`, `<`, `>` and parentheses are words. */
function readCondition(cursor: Cursor, line: number): Command {
  const words: Word[] = []
  for (;;) {
    if (skipBlank(cursor)) throw new NotUnderstood('missing ]]')
    const [sign] = /^(?:&&|\|\||[<>()])/.exec(cursor.text.slice(cursor.at, cursor.at + 2)) ?? []
    if (sign !== undefined) {
      onlyInBash(cursor, 'an operator in a condition')
      cursor.at += sign.length
      words.push([{ kind: 'text', text: sign, isQuoted: false }])
      continue
    }
    const word = takeWord(cursor)
    if (word.length === 0 || cursor.text[cursor.at] === '(') throw new NotUnderstood('unsupported condition')
    if (bareOf(word) === ']]') return { kind: 'condition', line, words }
    words.push(word)
  }
}

function readSimple(cursor: Cursor, line: number): Command {
  const assignments: AssignmentWord[] = []
  const words: Word[] = []
  let redirection: Redirection = 'none'
  for (;;) {
    const next = tokens.readRedirection(cursor, readInParentheses)
    if (next !== undefined) {
      redirection = tokens.worseRedirection(redirection, next)
      continue
    }
    const word = takeWord(cursor)
    if (word.length === 0) break
    const isArray = isArrayStart(cursor, word)
    if (isArray) tokens.skipArray(cursor, readInParentheses)
    const read = isArray ? [...word, ...STRANGE] : word
    const assignment = words.length === 0 ? assignmentOf(read) : undefined
    if (assignment === undefined) words.push(read)
    else assignments.push(assignment)
    const name = words.length === 1 && assignments.length === 0 ? literalOf(word) : undefined
    if (name !== undefined && opensFunction(cursor)) return readBody(cursor, line, name)
  }
  if (assignments.length + words.length === 0 && redirection === 'none')
    throw new NotUnderstood(`unexpected ${JSON.stringify(cursor.text[cursor.at] ?? 'end of file')}`)
  return { kind: 'simple', line, assignments, words, redirection }
}

/** Skips the parentheses after a function name. */
function opensFunction(cursor: Cursor): boolean {
  const [parentheses] = /^[ \t]*\([ \t]*\)/.exec(cursor.text.slice(cursor.at, cursor.at + 40)) ?? []
  cursor.at += parentheses?.length ?? 0
  return parentheses !== undefined
}
