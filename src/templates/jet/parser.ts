import { Budget } from '../govalue/index.ts'
import type { BlockStatement, JetSyntax, JetTemplate, Statement, TemplateReference } from './ast.ts'
import { trimSpace } from './go-strings.ts'
import { DEFAULT_SYNTAX, tokenize } from './lexer.ts'
import { unquoteString } from './literals.ts'
import { literalValue } from './parse-expression.ts'
import { parseStatement } from './parse-statement.ts'
import { TokenCursor } from './token-cursor.ts'

export interface ParseOptions {
  readonly name: string
  readonly syntax?: JetSyntax
  readonly budget?: Budget
}

/** Parses a template. Throws a `TemplateError` (`template: name:line: …`) with the offset of the syntax error. */
export function parseTemplate(source: string, options: ParseOptions): JetTemplate {
  const syntax = options.syntax ?? DEFAULT_SYNTAX
  const budget = options.budget ?? new Budget()
  budget.checkSource(source)
  const origin = { name: options.name, source }
  const cursor = new TokenCursor(origin, tokenize(source, syntax), budget)
  const references = parseReferences(cursor)
  const blocks = new Map<string, BlockStatement>()
  const body: Statement[] = []
  while (!cursor.at('eof')) body.push(parseStatement({ cursor, blocks }))
  return { origin, syntax, ...references, blocks, body }
}

interface References {
  readonly extends: TemplateReference | undefined
  readonly imports: readonly TemplateReference[]
}

// `extends` and `import` come before everything else. White space before the first action is dropped, even without them.
function parseReferences(cursor: TokenCursor): References {
  const found: { extends: TemplateReference | undefined; imports: TemplateReference[] } = {
    extends: undefined,
    imports: [],
  }
  for (;;) {
    const token = cursor.peek()
    const word = cursor.peekSecond().kind
    if (token.kind === 'text' && trimSpace(token.text) === '') {
      cursor.next()
    } else if (token.kind === 'leftDelim' && word === 'extends') {
      if (found.extends !== undefined) {
        cursor.fail('Unexpected extends clause: each template can only extend one template', token.offset)
      }
      if (found.imports.length > 0) {
        const rule = "the 'extends' clause should come before all import clauses"
        cursor.fail(`Unexpected extends clause: ${rule}`, token.offset)
      }
      found.extends = parseReference(cursor)
    } else if (token.kind === 'leftDelim' && word === 'import') {
      found.imports.push(parseReference(cursor))
    } else {
      return found
    }
  }
}

function parseReference(cursor: TokenCursor): TemplateReference {
  const { offset } = cursor.next()
  cursor.next()
  if (!cursor.at('string') && !cursor.at('rawString')) cursor.unexpected('extends|import', 'string literal')
  const token = cursor.next()
  const path = literalValue(cursor, token, unquoteString(token.text))
  cursor.expectRightDelimiter('extends|import')
  return cursor.node({ offset, path, text: token.text })
}
