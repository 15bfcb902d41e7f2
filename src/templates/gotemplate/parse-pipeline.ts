import type { CommandNode, Operand, PipelineNode } from './ast.ts'
import { quoteGoString, unquoteGoString } from './go-quote.ts'
import { numberNode } from './number-literal.ts'
import {
  next,
  parseNested,
  nextNonSpace,
  parseError,
  peek,
  peekNonSpace,
  unexpectedToken,
  withPlace,
} from './parser-state.ts'
import type { Parser } from './parser-state.ts'
import { printNode } from './print-node.ts'
import type { Token, TokenKind } from './token.ts'

/** Parses `$x, $y := command | command` up to and including the `end` token. */
export function parsePipeline(parser: Parser, context: string, end: TokenKind): PipelineNode {
  const { offset } = peekNonSpace(parser)
  const declared = parseDeclarations(parser, context)
  const commands: CommandNode[] = []
  for (;;) {
    const token = peekNonSpace(parser)
    if (token.kind === end) {
      parser.index += 1
      break
    }
    if (!OPERAND_KINDS.has(token.kind)) {
      parser.index += 1
      throw unexpectedToken(parser, token, context)
    }
    commands.push(parseCommand(parser))
  }
  checkPipeline(parser, commands, context, offset)
  return { kind: 'pipeline', offset, ...declared, commands }
}

const OPERAND_KINDS: ReadonlySet<TokenKind> = new Set<TokenKind>([
  'boolean',
  'characterConstant',
  'complex',
  'dot',
  'field',
  'identifier',
  'number',
  'nil',
  'rawString',
  'string',
  'variable',
  'leftParenthesis',
])

interface Declarations {
  readonly assigns: boolean
  readonly variables: readonly string[]
}

function parseDeclarations(parser: Parser, context: string): Declarations {
  const variables: string[] = []
  for (;;) {
    const token = peekNonSpace(parser)
    if (token.kind !== 'variable') return { assigns: false, variables }
    const start = parser.index
    parser.index += 1
    const after = peekNonSpace(parser)
    if (after.kind === 'assign' || after.kind === 'declare') {
      parser.index += 1
      declare(parser, variables, token)
      return { assigns: after.kind === 'assign', variables }
    }
    if (after.kind !== 'character' || after.value !== ',') {
      parser.index = start
      return { assigns: false, variables }
    }
    parser.index += 1
    declare(parser, variables, token)
    checkComma(parser, variables, context)
  }
}

function declare(parser: Parser, variables: string[], token: Token): void {
  variables.push(token.value)
  parser.variables.push(token.value)
}

function checkComma(parser: Parser, variables: readonly string[], context: string): void {
  if (context !== 'range' || variables.length >= 2) throw parseError(parser, `too many declarations in ${context}`)
  const { kind } = peekNonSpace(parser)
  if (kind !== 'variable' && kind !== 'rightDelimiter' && kind !== 'rightParenthesis') {
    throw parseError(parser, 'range can only initialize variables')
  }
}

const CONSTANT_KINDS: ReadonlySet<Operand['kind']> = new Set<Operand['kind']>([
  'boolean',
  'dot',
  'nil',
  'number',
  'string',
])

function checkPipeline(parser: Parser, commands: readonly CommandNode[], context: string, offset: number): void {
  if (commands.length === 0) throw parseError(parser, `missing value for ${context}`, offset)
  const constant = commands.findIndex((command, index) => index > 0 && CONSTANT_KINDS.has(command.operands[0].kind))
  if (constant < 0) return
  const message = `non executable command in pipeline stage ${constant + 1}`
  throw parseError(parser, message, commands[constant]?.offset)
}

function parseCommand(parser: Parser): CommandNode {
  const { offset } = peekNonSpace(parser)
  const operands: Operand[] = []
  for (;;) {
    peekNonSpace(parser)
    const operand = parseOperand(parser)
    if (operand !== undefined) operands.push(operand)
    const token = next(parser)
    if (token.kind === 'pipe') break
    if (token.kind === 'rightDelimiter' || token.kind === 'rightParenthesis') {
      parser.index -= 1
      break
    }
    if (token.kind !== 'space') throw unexpectedToken(parser, token, 'operand')
  }
  const [first, ...rest] = operands
  if (first === undefined) throw parseError(parser, 'empty command', offset)
  return { kind: 'command', offset, operands: [first, ...rest] }
}

/** Parses a term with its fields; undefined if the next token does not start a term. */
function parseOperand(parser: Parser): Operand | undefined {
  const base = parseTerm(parser)
  if (base === undefined) return undefined
  const { kind, offset } = peek(parser)
  if (kind !== 'field') return base
  const fields: string[] = []
  while (peek(parser).kind === 'field') fields.push(next(parser).value.slice(1))
  switch (base.kind) {
    case 'field':
      return { kind: 'field', offset, fields: [...base.fields, ...fields] }
    case 'variable':
      return { ...base, offset, fields: [...base.fields, ...fields] }
    case 'boolean':
    case 'string':
    case 'number':
    case 'nil':
    case 'dot':
      throw parseError(parser, `unexpected . after term ${quoteGoString(printNode(base))}`, offset)
    case 'identifier':
    case 'chain':
    case 'pipeline':
      return { kind: 'chain', offset, base, fields }
  }
}

function parseTerm(parser: Parser): Operand | undefined {
  const token = nextNonSpace(parser)
  const { offset, value } = token
  parser.budget.node(offset)
  switch (token.kind) {
    case 'identifier':
      withPlace(parser, () => parser.checkFunction(value, offset))
      return { kind: 'identifier', offset, name: value }
    case 'dot':
    case 'nil':
      return { kind: token.kind, offset }
    case 'variable':
      if (parser.variables.includes(value)) return { kind: 'variable', offset, name: value, fields: [] }
      throw parseError(parser, `undefined variable ${quoteGoString(value)}`, offset)
    case 'field':
      return { kind: 'field', offset, fields: [value.slice(1)] }
    case 'boolean':
      return { kind: 'boolean', offset, value: value === 'true' }
    case 'characterConstant':
    case 'complex':
    case 'number':
      return withPlace(parser, () => numberNode(token))
    case 'leftParenthesis':
      return parseNested(parser, () => parsePipeline(parser, 'parenthesized pipeline', 'rightParenthesis'))
    case 'string':
    case 'rawString':
      return { kind: 'string', offset, quoted: value, text: withPlace(parser, () => unquoteGoString(value, offset)) }
    default:
      parser.index -= 1
      return undefined
  }
}
