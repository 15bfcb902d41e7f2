import type { JetSyntax } from './ast.ts'
import { wordKind, type Token, type TokenKind } from './tokens.ts'

/** Jet's default delimiters; CCM uses `[[` and `]]` for actions. */
export const DEFAULT_SYNTAX: JetSyntax = { delimiters: ['{{', '}}'], commentDelimiters: ['{*', '*}'] }

/**
 * Splits a template into tokens; the last is `eof` or `error`. Empty delimiters mean the default ones. Trim markers and comments
 * produce no token.
 * @see https://github.com/CloudyKit/jet/blob/master/docs/syntax.md
 */
export function tokenize(source: string, syntax: JetSyntax = DEFAULT_SYNTAX): readonly Token[] {
  const state: LexerState = {
    source,
    left: syntax.delimiters[0] || DEFAULT_SYNTAX.delimiters[0],
    right: syntax.delimiters[1] || DEFAULT_SYNTAX.delimiters[1],
    leftComment: syntax.commentDelimiters[0] || DEFAULT_SYNTAX.commentDelimiters[0],
    rightComment: syntax.commentDelimiters[1] || DEFAULT_SYNTAX.commentDelimiters[1],
    tokens: [],
    position: 0,
    lastLeft: source.lastIndexOf((syntax.delimiters[0] || DEFAULT_SYNTAX.delimiters[0]).charAt(0)),
    nextAction: -1,
    nextComment: -1,
  }
  while (state.position < source.length) {
    const mark = nextMark(state)
    addText(state, mark)
    if (mark.kind === 'none') break
    const fine = mark.kind === 'comment' ? skipComment(state, mark.offset) : lexAction(state, mark.offset)
    if (!fine) return state.tokens
  }
  add(state, 'eof', source.length, source.length)
  return state.tokens
}

interface LexerState {
  readonly source: string
  readonly left: string
  readonly right: string
  readonly leftComment: string
  readonly rightComment: string
  readonly tokens: Token[]
  /** Last position of the first character of the left delimiter. */
  readonly lastLeft: number
  position: number
  /** Next delimiters found, cached so that no text is searched twice; -1 before the first search. */
  nextAction: number
  nextComment: number
}

interface Mark {
  readonly kind: 'action' | 'comment' | 'none'
  readonly offset: number
}

// A comment is only recognised if the first character of the left delimiter follows somewhere. Templates depend on this quirk of
// Jet: with [[ ]], a comment after the last action is text.
function nextMark(state: LexerState): Mark {
  const { source, left, leftComment, position } = state
  if (state.nextAction < position) state.nextAction = indexOrEnd(source, left, position)
  if (state.nextComment < position) state.nextComment = indexOrEnd(source, leftComment, position)
  const { nextAction, nextComment } = state
  if (nextComment < nextAction && nextComment <= state.lastLeft) return { kind: 'comment', offset: nextComment }
  return { kind: nextAction < source.length ? 'action' : 'none', offset: nextAction }
}

function indexOrEnd(source: string, mark: string, position: number): number {
  const index = source.indexOf(mark, position)
  return index < 0 ? source.length : index
}

function addText(state: LexerState, mark: Mark): void {
  const { source, left, position } = state
  let end = mark.offset
  if (mark.kind === 'action' && source.startsWith('- ', end + left.length)) {
    while (end > position && isSpace(source.charAt(end - 1))) end -= 1
  }
  if (end > position) add(state, 'text', position, end)
}

function skipComment(state: LexerState, offset: number): boolean {
  const end = state.source.indexOf(state.rightComment, offset + state.leftComment.length)
  if (end < 0) return fail(state, offset, 'unclosed comment')
  state.position = end + state.rightComment.length
  return true
}

function lexAction(state: LexerState, offset: number): boolean {
  const { source, left, right, tokens } = state
  let position = offset + left.length
  add(state, 'leftDelim', offset, position)
  if (source.startsWith('- ', position)) position += 2
  let parentheses = 0
  for (;;) {
    const start = skipSpace(source, position)
    const trimmed = start > position && source.charAt(start - 1) === ' ' && source.startsWith(`-${right}`, start)
    if (trimmed || source.startsWith(right, start)) {
      if (parentheses > 0) return fail(state, start, 'unclosed left parenthesis')
      closeAction(state, trimmed ? start + 1 : start, trimmed)
      return true
    }
    if (start >= source.length) return fail(state, start, 'unclosed action')
    const scanned = scan(source, start, right, hasOperand(tokens.at(-1), start > position))
    if ('message' in scanned) return fail(state, start, scanned.message)
    if (scanned.kind === 'leftParen') parentheses += 1
    if (scanned.kind === 'rightParen') parentheses -= 1
    if (parentheses < 0) return fail(state, start, "unexpected right paren U+0029 ')'")
    tokens.push({
      kind: scanned.kind,
      text: source.slice(start, scanned.end),
      offset: start,
      spaceBefore: start > position,
    })
    position = scanned.end
  }
}

function closeAction(state: LexerState, delimiter: number, trimmed: boolean): void {
  const end = delimiter + state.right.length
  add(state, 'rightDelim', delimiter, end)
  state.position = trimmed ? skipSpace(state.source, end) : end
}

// A sign directly after an operand is an operator (`a-1`); after a space it belongs to the number (`f: a -1`), unless a space
// follows it too. Jet assigns the sign in `f(x)-1` to the number, which never parses; here it is an operator.
const OPERAND_ENDS: ReadonlySet<TokenKind> = new Set<TokenKind>([
  'add',
  'minus',
  'number',
  'identifier',
  'underscore',
  'string',
  'rawString',
  'charConstant',
  'bool',
  'field',
  'char',
  'rightParen',
  'rightBrackets',
])

function hasOperand(last: Token | undefined, spaceBetween: boolean): boolean {
  return !spaceBetween && last !== undefined && OPERAND_ENDS.has(last.kind)
}

type Scanned = { readonly kind: TokenKind; readonly end: number } | { readonly message: string }

const SYMBOLS: ReadonlyMap<string, TokenKind> = new Map<string, TokenKind>([
  ['==', 'equals'],
  ['!=', 'notEquals'],
  ['>=', 'greatEquals'],
  ['<=', 'lessEquals'],
  ['&&', 'and'],
  ['||', 'or'],
  [':=', 'assign'],
  ['=', 'assign'],
  ['!', 'not'],
  ['>', 'great'],
  ['<', 'less'],
  ['+', 'add'],
  ['-', 'minus'],
  ['*', 'mul'],
  ['/', 'div'],
  ['%', 'mod'],
  [',', 'comma'],
  [';', 'semicolon'],
  [':', 'colon'],
  ['?', 'ternary'],
  ['|', 'pipe'],
  ['(', 'leftParen'],
  [')', 'rightParen'],
  ['[', 'leftBrackets'],
  [']', 'rightBrackets'],
])

function scan(source: string, start: number, right: string, afterOperand: boolean): Scanned {
  const character = source.charAt(start)
  if (character === '"') return scanQuoted(source, start, QUOTED_STRING, 'string')
  if (character === "'") return scanQuoted(source, start, QUOTED_CHARACTER, 'charConstant')
  if (character === '`') return scanRawString(source, start)
  if (/[0-9]/.test(character) || (character === '.' && /[0-9]/.test(source.charAt(start + 1)))) {
    return scanNumber(source, start)
  }
  if (/[+-]/.test(character) && !afterOperand && /[0-9]/.test(source.charAt(start + 1)))
    return scanNumber(source, start)
  if (character === '.' || WORD.test(codePointText(source, start))) return scanWord(source, start, right)
  const double = source.slice(start, start + 2)
  const symbol = SYMBOLS.has(double) ? double : character
  const kind = SYMBOLS.get(symbol)
  if (kind !== undefined) return { kind, end: start + symbol.length }
  if (character > ' ' && character < '\x7f') return { kind: 'char', end: start + 1 }
  return { message: `unrecognized character in action: ${describeCharacter(source, start)}` }
}

const QUOTED_STRING = /"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*"/y
const QUOTED_CHARACTER = /'[^'\\\n]*(?:\\[^\n][^'\\\n]*)*'/y

function scanQuoted(source: string, start: number, pattern: RegExp, kind: 'string' | 'charConstant'): Scanned {
  pattern.lastIndex = start
  if (pattern.test(source)) return { kind, end: pattern.lastIndex }
  return { message: kind === 'string' ? 'unterminated quoted string' : 'unterminated character constant' }
}

function scanRawString(source: string, start: number): Scanned {
  const end = source.indexOf('`', start + 1)
  return end < 0 ? { message: 'unterminated raw quoted string' } : { kind: 'rawString', end: end + 1 }
}

const NUMBER = /[+-]?(?:0[xX][0-9a-fA-F]*(?:\.[0-9a-fA-F]*)?|[0-9]*(?:\.[0-9]*)?)(?:[eE][+-]?[0-9]*)?i?/y

function scanNumber(source: string, start: number): Scanned {
  NUMBER.lastIndex = start
  NUMBER.test(source)
  const end = NUMBER.lastIndex
  const next = codePointText(source, end)
  if (WORD.test(next)) return { message: `bad number syntax: ${JSON.stringify(source.slice(start, end) + next)}` }
  return { kind: 'number', end }
}

const WORD = /[\p{L}\p{Nd}_]/u
const WORD_RUN = /\.?[\p{L}\p{Nd}_]*/uy
const TERMINATORS = ' \t\r\n.,|:)=(;?[]+-/%*&!<>'

function scanWord(source: string, start: number, right: string): Scanned {
  WORD_RUN.lastIndex = start
  WORD_RUN.test(source)
  const end = WORD_RUN.lastIndex
  const next = source.charAt(end)
  if (next !== '' && !TERMINATORS.includes(next) && next !== right.charAt(0)) {
    return { message: `bad character ${describeCharacter(source, end)}` }
  }
  const word = source.slice(start, end)
  if (word === '.') return { kind: 'identifier', end }
  return { kind: word.startsWith('.') ? 'field' : wordKind(word), end }
}

function add(state: LexerState, kind: TokenKind, start: number, end: number): void {
  state.tokens.push({ kind, text: state.source.slice(start, end), offset: start, spaceBefore: false })
}

function fail(state: LexerState, offset: number, message: string): false {
  state.tokens.push({ kind: 'error', text: message, offset, spaceBefore: false })
  return false
}

function skipSpace(source: string, start: number): number {
  let position = start
  while (isSpace(source.charAt(position))) position += 1
  return position
}

function isSpace(character: string): boolean {
  return character === ' ' || character === '\t' || character === '\r' || character === '\n'
}

function codePointText(source: string, offset: number): string {
  const code = source.codePointAt(offset)
  return code === undefined ? '' : String.fromCodePoint(code)
}

function describeCharacter(source: string, offset: number): string {
  const text = codePointText(source, offset)
  const code = (text.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return `U+${code} '${text}'`
}
