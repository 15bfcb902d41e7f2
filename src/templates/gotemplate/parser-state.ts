import { TemplateError, lineAt } from '../errors.ts'
import type { Budget } from '../govalue/budget.ts'
import type { TemplateBody } from './ast.ts'
import { quoteGoString } from './go-quote.ts'
import type { Token, TokenKind } from './token.ts'

/** Maximum nesting of blocks and parentheses in a template. */
const MAX_SYNTAX_DEPTH = 100

/** The state of one parse. `variables` and `rangeDepth` belong to the template being defined. */
export interface Parser {
  readonly source: string
  readonly sourceName: string
  readonly tokens: readonly Token[]
  readonly budget: Budget
  /** Throws if there is no such function. */
  readonly checkFunction: (name: string, offset: number) => void
  readonly templates: Map<string, TemplateBody>
  index: number
  furthest: number
  variables: string[]
  rangeDepth: number
  depth: number
  /** Offset of the action being parsed, for `unclosed action started at`. */
  actionOffset: number | undefined
}

const END: Token = { kind: 'endOfFile', value: '', offset: 0 }

/** The next token except comments; the last one repeats forever. */
export function peek(parser: Parser): Token {
  const { tokens } = parser
  let token = tokens[parser.index]
  while (token?.kind === 'comment') {
    parser.index += 1
    token = tokens[parser.index]
  }
  if (parser.index > parser.furthest) parser.furthest = Math.min(parser.index, tokens.length - 1)
  return token ?? tokens.at(-1) ?? END
}

export function next(parser: Parser): Token {
  const token = peek(parser)
  parser.index += 1
  return token
}

/** The next token except spaces, which are skipped. */
export function peekNonSpace(parser: Parser): Token {
  while (peek(parser).kind === 'space') parser.index += 1
  return peek(parser)
}

/** Consumes the next token that is not a space. */
export function nextNonSpace(parser: Parser): Token {
  const token = peekNonSpace(parser)
  parser.index += 1
  return token
}

/**
 * Syntax error in text/template's words. As in text/template, its line is that of the last token read; its offset defaults to
 * that token.
 */
export function parseError(parser: Parser, message: string, offset?: number): TemplateError {
  const last = parser.tokens[parser.furthest] ?? END
  const line = lineAt(parser.source, last.offset)
  return new TemplateError(`template: ${parser.sourceName}:${line}: ${message}`, offset ?? last.offset)
}

const PLAIN_KINDS: ReadonlySet<TokenKind> = new Set<TokenKind>([
  'text',
  'comment',
  'leftDelimiter',
  'rightDelimiter',
  'space',
  'assign',
  'declare',
  'pipe',
  'leftParenthesis',
  'rightParenthesis',
  'boolean',
  'character',
  'characterConstant',
  'complex',
  'field',
  'identifier',
  'number',
  'rawString',
  'string',
  'variable',
])

function describeToken(token: Token): string {
  if (token.kind === 'endOfFile') return 'EOF'
  if (!PLAIN_KINDS.has(token.kind)) return `<${token.value}>`
  if (Buffer.byteLength(token.value) <= 10) return quoteGoString(token.value)
  return `${quoteGoString(Array.from(token.value).slice(0, 10).join(''))}...`
}

export function unexpectedToken(parser: Parser, token: Token, context: string): TemplateError {
  if (token.kind !== 'error') {
    return parseError(parser, `unexpected ${describeToken(token)} in ${context}`, token.offset)
  }
  return parseError(parser, token.value + startedAt(parser, token), token.offset)
}

function startedAt(parser: Parser, token: Token): string {
  if (parser.actionOffset === undefined) return ''
  const line = lineAt(parser.source, parser.actionOffset)
  if (line === lineAt(parser.source, token.offset)) return ''
  const action = token.value.endsWith(' action') ? '' : ' in action'
  return `${action} started at ${parser.sourceName}:${line}`
}

/** Consumes the next token if it is of the kind; throws otherwise. */
export function expect(parser: Parser, kind: TokenKind, context: string): Token {
  const token = nextNonSpace(parser)
  if (token.kind !== kind) throw unexpectedToken(parser, token, context)
  return token
}

/** Runs `work` one level of nesting deeper. */
export function parseNested<T>(parser: Parser, work: () => T): T {
  if (parser.depth >= MAX_SYNTAX_DEPTH) throw parseError(parser, 'max expression depth exceeded')
  parser.depth += 1
  const result = work()
  parser.depth -= 1
  return result
}

/** Adds the location in the source to an error of a literal. */
export function withPlace<T>(parser: Parser, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof TemplateError) throw parseError(parser, error.message, error.offset)
    throw error
  }
}
