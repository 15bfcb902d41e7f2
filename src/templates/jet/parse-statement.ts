import type {
  ActionStatement,
  BlockParameter,
  BlockStatement,
  Command,
  Expression,
  IfBranch,
  Statement,
  Assignment,
} from './ast.ts'
import { parseArguments, parseExpression } from './parse-expression.ts'
import { printExpression } from './print-expression.ts'
import type { TokenCursor } from './token-cursor.ts'
import type { TokenKind } from './tokens.ts'

export interface ParserState {
  readonly cursor: TokenCursor
  /** Blocks found so far; the last definition of a name overrides earlier ones. */
  readonly blocks: Map<string, BlockStatement>
}

/** Parses text, or one construct up to its `end`. */
export function parseStatement(state: ParserState): Statement {
  const { cursor } = state
  const { kind, offset, text } = cursor.peek()
  if (kind === 'text') {
    cursor.next()
    return cursor.node({ kind: 'text', offset, text })
  }
  cursor.expect('leftDelim', 'input', 'text or action')
  return cursor.nested(() => parseConstruct(state, offset))
}

function parseConstruct(state: ParserState, offset: number): Statement {
  const { cursor } = state
  const { kind, text } = cursor.peek()
  switch (kind) {
    case 'if':
      return parseIf(state, offset)
    case 'range':
      return parseRange(state, offset)
    case 'try':
      return parseTry(state, offset)
    case 'block':
      return parseBlock(state, offset)
    case 'yield':
      return parseYield(state, offset)
    case 'include':
      return parseInclude(cursor, offset)
    case 'return':
      return parseReturn(cursor, offset)
    case 'end':
    case 'else':
    case 'content':
    case 'catch':
      return cursor.fail(`unexpected {{${text}}}`, offset)
    default:
      return parseAction(cursor, offset)
  }
}

// Parses statements up to an action that starts with one of the words, and consumes its delimiter and word.
function parseBody(
  state: ParserState,
  terminators: readonly TokenKind[],
): { body: Statement[]; terminator: TokenKind } {
  const { cursor } = state
  const body: Statement[] = []
  for (;;) {
    const terminator = cursor.peekSecond().kind
    if (cursor.at('leftDelim') && terminators.includes(terminator)) {
      cursor.next()
      cursor.next()
      return { body, terminator }
    }
    body.push(parseStatement(state))
  }
}

function parseBodyUntilEnd(state: ParserState): Statement[] {
  const { body } = parseBody(state, ['end'])
  state.cursor.expectRightDelimiter('end')
  return body
}

function parseIf(state: ParserState, offset: number): Statement {
  const { cursor } = state
  const branches: IfBranch[] = []
  for (;;) {
    cursor.next()
    const head = parseHead(cursor, 'if')
    if ('assignment' in head) cursor.expect('semicolon', 'if', 'semicolon between assignment and expression')
    const condition = 'assignment' in head ? parseExpression(cursor, 'if') : head.expression
    cursor.expectRightDelimiter('if')
    const { body, terminator } = parseBody(state, ['else', 'end'])
    branches.push({ assignment: 'assignment' in head ? head.assignment : undefined, condition, body })
    if (terminator === 'else' && cursor.at('if')) continue
    const otherwise = parseElse(state, terminator)
    return cursor.node({ kind: 'if', offset, branches, otherwise })
  }
}

// Parses the rest of an `else` or `end`, after the keyword.
function parseElse(state: ParserState, terminator: TokenKind): Statement[] | undefined {
  state.cursor.expectRightDelimiter(terminator)
  return terminator === 'else' ? parseBodyUntilEnd(state) : undefined
}

function parseRange(state: ParserState, offset: number): Statement {
  const { cursor } = state
  cursor.next()
  const head = parseHead(cursor, 'range')
  cursor.expectRightDelimiter('range')
  const { body, terminator } = parseBody(state, ['else', 'end'])
  const otherwise = parseElse(state, terminator)
  const assignment = 'assignment' in head ? head.assignment : undefined
  const subject = 'assignment' in head ? head.assignment.values[0] : head.expression
  if (subject === undefined) return cursor.fail('range without a value', offset)
  return cursor.node({ kind: 'range', offset, assignment, subject, body, otherwise })
}

function parseTry(state: ParserState, offset: number): Statement {
  const { cursor } = state
  cursor.next()
  cursor.expectRightDelimiter('try')
  const { body, terminator } = parseBody(state, ['catch', 'end'])
  if (terminator === 'end') {
    cursor.expectRightDelimiter('end')
    return cursor.node({ kind: 'try', offset, body, handler: undefined })
  }
  const name = cursor.at('rightDelim') ? undefined : cursor.expect('identifier', 'catch', 'name').text
  cursor.expectRightDelimiter('catch')
  return cursor.node({ kind: 'try', offset, body, handler: { name, body: parseBodyUntilEnd(state) } })
}

function parseBlock(state: ParserState, offset: number): Statement {
  const { cursor, blocks } = state
  const clause = 'block clause'
  cursor.next()
  const name = cursor.expect('identifier', clause, 'name').text
  const parameters = parseParameters(cursor, clause, parseDeclaredParameter)
  const context = cursor.at('rightDelim') ? undefined : parseExpression(cursor, clause)
  cursor.expectRightDelimiter(clause)
  const { body, terminator } = parseBody(state, ['content', 'end'])
  cursor.expectRightDelimiter(terminator)
  const content = terminator === 'content' ? parseBodyUntilEnd(state) : undefined
  const block = cursor.node({ kind: 'block', offset, name, parameters, context, body, content })
  blocks.set(name, block)
  return block
}

function parseYield(state: ParserState, offset: number): Statement {
  const { cursor } = state
  const clause = 'yield clause'
  cursor.next()
  if (cursor.accept('content')) {
    const context = cursor.at('rightDelim') ? undefined : parseExpression(cursor, clause)
    cursor.expectRightDelimiter(clause)
    return cursor.node({ kind: 'yieldContent', offset, context })
  }
  const name = cursor.expect('identifier', clause, 'block name').text
  const parameters = parseParameters(cursor, clause, parseGivenParameter)
  const hasContext = !cursor.at('rightDelim') && !cursor.at('content')
  const context = hasContext ? parseExpression(cursor, 'yield') : undefined
  const hasContent = cursor.accept('content')
  cursor.expect('rightDelim', clause, hasContent ? 'closing delimiter' : 'content keyword or closing delimiter')
  const content = hasContent ? parseBodyUntilEnd(state) : undefined
  return cursor.node({ kind: 'yield', offset, name, parameters, context, content })
}

type ParameterParser = (cursor: TokenCursor, clause: string) => BlockParameter

function parseParameters(cursor: TokenCursor, clause: string, parseOne: ParameterParser): BlockParameter[] {
  const parameters: BlockParameter[] = []
  cursor.expect('leftParen', clause, 'opening parenthesis')
  while (!cursor.at('rightParen')) {
    parameters.push(parseOne(cursor, clause))
    if (!cursor.accept('comma')) break
  }
  cursor.expect('rightParen', clause, 'comma, assignment, or closing parenthesis')
  return parameters
}

function parseDeclaredParameter(cursor: TokenCursor, clause: string): BlockParameter {
  const name = cursor.expect('identifier', clause, 'closing parenthesis').text
  return { name, value: cursor.accept('assign') ? parseExpression(cursor, clause) : undefined }
}

function parseGivenParameter(cursor: TokenCursor, clause: string): BlockParameter {
  const following = cursor.peekSecond().kind
  const isName = following === 'assign' || following === 'comma' || following === 'rightParen'
  if (cursor.at('identifier') && isName) return parseDeclaredParameter(cursor, clause)
  return { name: undefined, value: parseExpression(cursor, clause) }
}

function parseInclude(cursor: TokenCursor, offset: number): Statement {
  cursor.next()
  const name = parseExpression(cursor, 'include')
  const context = cursor.at('rightDelim') ? undefined : parseExpression(cursor, 'include')
  cursor.expectRightDelimiter('include invocation')
  return cursor.node({ kind: 'include', offset, name, context })
}

function parseReturn(cursor: TokenCursor, offset: number): Statement {
  cursor.next()
  const value = parseExpression(cursor, 'return')
  cursor.expectRightDelimiter('return')
  return cursor.node({ kind: 'return', offset, value })
}

function parseAction(cursor: TokenCursor, offset: number): ActionStatement {
  const head = parseHead(cursor, 'command')
  if ('expression' in head) {
    const pipeline = parsePipeline(cursor, head.expression)
    return cursor.node({ kind: 'action', offset, assignment: undefined, pipeline })
  }
  const { assignment } = head
  const pipeline = cursor.accept('semicolon') ? parsePipeline(cursor, parseExpression(cursor, 'command')) : []
  if (pipeline.length === 0) cursor.expect('rightDelim', 'command', 'semicolon or right delimiter')
  return cursor.node({ kind: 'action', offset, assignment, pipeline })
}

function parsePipeline(cursor: TokenCursor, first: Expression): Command[] {
  const commands = [parseCommand(cursor, first)]
  while (cursor.accept('pipe')) {
    if (!cursor.at('field') && !cursor.at('identifier')) cursor.unexpected('pipeline', 'field or identifier')
    commands.push(parseCommand(cursor, parseExpression(cursor, 'command')))
  }
  cursor.expect('rightDelim', 'pipeline', 'pipe or right delimiter')
  return commands
}

// The last call of an expression is the command's own, so that it can receive a piped value.
function parseCommand(cursor: TokenCursor, expression: Expression): Command {
  const { offset } = expression
  const last = expression.kind === 'access' ? expression.steps.at(-1) : undefined
  if (expression.kind === 'access' && last?.kind === 'call') {
    const steps = expression.steps.slice(0, -1)
    const base = steps.length === 0 ? expression.base : { ...expression, steps }
    return cursor.node({ offset, base, args: last.args })
  }
  return cursor.node({ offset, base: expression, args: cursor.accept('colon') ? parseArguments(cursor) : undefined })
}

/** Start of an action, an `if` or a `range`: an assignment or an expression. */
type Head = { readonly assignment: Assignment } | { readonly expression: Expression }

/** Parses an expression, or an assignment if a comma or an assignment sign follows. */
function parseHead(cursor: TokenCursor, context: 'command' | 'if' | 'range'): Head {
  const expression = parseExpression(cursor, context)
  if (!cursor.at('comma') && !cursor.at('assign')) return { expression }
  const targets = [expression]
  while (cursor.accept('comma')) targets.push(parseExpression(cursor, context))
  const sign = cursor.expect('assign', 'assignment', 'comma or assignment')
  const declares = sign.text === ':='
  for (const target of targets) checkTarget(cursor, target, declares)
  const values = [parseExpression(cursor, 'assignment')]
  while (cursor.accept('comma')) values.push(parseExpression(cursor, 'assignment'))
  const lookup = targets.length === 2 && values.length === 1 && isIndex(values[0])
  const fits = context === 'range' ? targets.length <= 2 && values.length === 1 : targets.length === values.length
  if (!fits && !lookup) cursor.fail('unexpected number of operands in assign on range', sign.offset)
  return { assignment: cursor.node({ offset: expression.offset, declares, lookup, targets, values }) }
}

function checkTarget(cursor: TokenCursor, target: Expression, declares: boolean): void {
  if (target.kind === 'identifier' || target.kind === 'slot') return
  const isField = target.kind === 'access' && target.steps.at(-1)?.kind === 'fields'
  if (!isField) cursor.fail('unexpected node in assign', target.offset)
  if (declares) {
    cursor.fail(`unexpected node type ${printExpression(target)} in variable declaration`, target.offset)
  }
}

function isIndex(expression: Expression | undefined): boolean {
  return expression?.kind === 'access' && expression.steps.at(-1)?.kind === 'index'
}
