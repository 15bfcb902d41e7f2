import type { Assignment, Expression } from './ast.ts'
import { parseExpression } from './parse-expression.ts'
import { printExpression } from './print-expression.ts'
import type { TokenCursor } from './token-cursor.ts'

/** Start of an action, an `if` or a `range`: an assignment or an expression. */
export type Head = { readonly assignment: Assignment } | { readonly expression: Expression }

/** Parses an expression, or an assignment if a comma or an assignment sign follows. */
export function parseHead(cursor: TokenCursor, context: 'command' | 'if' | 'range'): Head {
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
