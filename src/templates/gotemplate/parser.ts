import { trimSpace } from './runes.ts'
import type { Branch, ConditionalNode, RangeNode, Statement, TemplateBody, TemplateCallNode } from './ast.ts'
import { quoteGoString, unquoteGoString } from './go-quote.ts'
import { parsePipeline } from './parse-pipeline.ts'
import {
  expect,
  parseNested,
  next,
  nextNonSpace,
  parseError,
  peek,
  peekNonSpace,
  unexpectedToken,
  withPlace,
  type Parser,
} from './parser-state.ts'
import type { Token } from './token.ts'

interface Closer {
  readonly kind: 'else' | 'end'
  readonly offset: number
}

type Parsed = Statement | Closer

/**
 * Parses the whole source into `parser.templates`: the templates it defines and, under its own name, the rest. Throws a
 * `TemplateError`.
 */
export function parseSource(parser: Parser): void {
  const statements: Statement[] = []
  while (peek(parser).kind !== 'endOfFile') {
    if (startsDefinition(parser)) {
      parseDefinition(parser)
    } else {
      const node = parseTextOrAction(parser)
      if (isCloser(node)) throw parseError(parser, `unexpected {{${node.kind}}}`, node.offset)
      statements.push(node)
    }
  }
  addTemplate(parser, parser.sourceName, statements)
}

function isCloser(node: Parsed): node is Closer {
  return node.kind === 'else' || node.kind === 'end'
}

function startsDefinition(parser: Parser): boolean {
  const start = parser.index
  const isDefinition = next(parser).kind === 'leftDelimiter' && nextNonSpace(parser).kind === 'define'
  if (!isDefinition) parser.index = start
  return isDefinition
}

/** Runs `work` with the variables and ranges of a new template. */
function inOwnTemplate<T>(parser: Parser, work: () => T): T {
  const { variables, rangeDepth } = parser
  parser.variables = ['$']
  parser.rangeDepth = 0
  const result = work()
  parser.variables = variables
  parser.rangeDepth = rangeDepth
  return result
}

function parseDefinition(parser: Parser): void {
  const name = parseTemplateName(parser, nextNonSpace(parser), 'define clause')
  expect(parser, 'rightDelimiter', 'define clause')
  parseTemplateBody(parser, name, 'define clause')
}

function parseTemplateBody(parser: Parser, name: string, context: string): void {
  const { statements, closer } = inOwnTemplate(parser, () => parseNested(parser, () => parseList(parser)))
  if (closer.kind !== 'end') throw parseError(parser, `unexpected {{else}} in ${context}`, closer.offset)
  addTemplate(parser, name, statements)
}

function parseTemplateName(parser: Parser, token: Token, context: string): string {
  if (token.kind !== 'string' && token.kind !== 'rawString') throw unexpectedToken(parser, token, context)
  return withPlace(parser, () => unquoteGoString(token.value, token.offset))
}

function addTemplate(parser: Parser, name: string, statements: readonly Statement[]): void {
  const known = parser.templates.get(name)
  if (known === undefined || isEmpty(known.statements)) {
    const { sourceName, source } = parser
    parser.templates.set(name, { name, sourceName, source, statements })
  } else if (!isEmpty(statements)) {
    throw parseError(parser, `template: multiple definition of template ${quoteGoString(name)}`)
  }
}

/** Whether the body of a template contains only white space. */
export function isEmpty(statements: TemplateBody['statements']): boolean {
  return statements.every((node) => node.kind === 'text' && trimSpace(node.text) === '')
}

function parseList(parser: Parser): { statements: Statement[]; closer: Closer } {
  const statements: Statement[] = []
  while (peekNonSpace(parser).kind !== 'endOfFile') {
    const node = parseTextOrAction(parser)
    if (isCloser(node)) return { statements, closer: node }
    statements.push(node)
  }
  throw parseError(parser, 'unexpected EOF')
}

function parseTextOrAction(parser: Parser): Parsed {
  const token = nextNonSpace(parser)
  if (token.kind === 'text') return { kind: 'text', offset: token.offset, text: token.value }
  if (token.kind !== 'leftDelimiter') throw unexpectedToken(parser, token, 'input')
  parser.actionOffset = token.offset
  const node = parseAction(parser)
  parser.actionOffset = undefined
  return node
}

function parseAction(parser: Parser): Parsed {
  const token = nextNonSpace(parser)
  const { offset } = token
  parser.budget.node(offset)
  switch (token.kind) {
    case 'block':
      return parseBlock(parser)
    case 'template':
      return parseTemplateCall(parser)
    case 'break':
    case 'continue':
      return parseJump(parser, token.kind, offset)
    case 'else':
      return parseElse(parser, offset)
    case 'end':
      expect(parser, 'rightDelimiter', 'end')
      return { kind: 'end', offset }
    case 'if':
    case 'with':
      return parseConditional(parser, token.kind)
    case 'range':
      return parseRange(parser)
    default:
      parser.index -= 1
      return { kind: 'action', offset, pipeline: parsePipeline(parser, 'command', 'rightDelimiter') }
  }
}

function parseJump(parser: Parser, kind: 'break' | 'continue', offset: number): Statement {
  const token = nextNonSpace(parser)
  if (token.kind !== 'rightDelimiter') throw unexpectedToken(parser, token, `{{${kind}}}`)
  if (parser.rangeDepth === 0) throw parseError(parser, `{{${kind}}} outside {{range}}`, offset)
  return { kind, offset }
}

// `else` may be followed by `if` or `with` in the same action, which the conditional parses.
function parseElse(parser: Parser, offset: number): Closer {
  const { kind } = peekNonSpace(parser)
  if (kind !== 'if' && kind !== 'with') expect(parser, 'rightDelimiter', 'else')
  return { kind: 'else', offset }
}

function parseBranch(parser: Parser, kind: 'if' | 'with'): { branch: Branch; closer: Closer } {
  const pipeline = parsePipeline(parser, kind, 'rightDelimiter')
  const { statements, closer } = parseNested(parser, () => parseList(parser))
  return { branch: { offset: pipeline.offset, pipeline, body: statements }, closer }
}

function parseConditional(parser: Parser, kind: 'if' | 'with'): ConditionalNode {
  const visible = parser.variables.length
  const branches: Branch[] = []
  let otherwise: Statement[] | undefined
  let parsed = parseBranch(parser, kind)
  branches.push(parsed.branch)
  while (parsed.closer.kind === 'else' && peek(parser).kind === kind) {
    parser.index += 1
    parsed = parseBranch(parser, kind)
    branches.push(parsed.branch)
  }
  if (parsed.closer.kind === 'else') otherwise = parseOtherwise(parser)
  parser.variables.length = visible
  return { kind, offset: branches[0]?.offset ?? parsed.closer.offset, branches, otherwise }
}

function parseOtherwise(parser: Parser): Statement[] {
  const { statements, closer } = parseNested(parser, () => parseList(parser))
  if (closer.kind !== 'end') throw parseError(parser, 'expected end; found {{else}}', closer.offset)
  return statements
}

function parseRange(parser: Parser): RangeNode {
  const visible = parser.variables.length
  const pipeline = parsePipeline(parser, 'range', 'rightDelimiter')
  parser.rangeDepth += 1
  const { statements, closer } = parseNested(parser, () => parseList(parser))
  parser.rangeDepth -= 1
  const otherwise = closer.kind === 'else' ? parseOtherwise(parser) : undefined
  parser.variables.length = visible
  return { kind: 'range', offset: pipeline.offset, pipeline, body: statements, otherwise }
}

function parseBlock(parser: Parser): TemplateCallNode {
  const token = nextNonSpace(parser)
  const name = parseTemplateName(parser, token, 'block clause')
  const pipeline = parsePipeline(parser, 'block clause', 'rightDelimiter')
  parseTemplateBody(parser, name, 'block clause')
  return { kind: 'template', offset: token.offset, name, pipeline }
}

function parseTemplateCall(parser: Parser): TemplateCallNode {
  const token = nextNonSpace(parser)
  const name = parseTemplateName(parser, token, 'template clause')
  const bare = peekNonSpace(parser).kind === 'rightDelimiter'
  if (bare) parser.index += 1
  const pipeline = bare ? undefined : parsePipeline(parser, 'template clause', 'rightDelimiter')
  return { kind: 'template', offset: token.offset, name, pipeline }
}
