import { TemplateError } from '../../templates/errors.ts'
import { compileExpression } from '../../templates/expr/index.ts'
import type { ExprNode } from '../../templates/expr/syntax.ts'
import { FUNCTION_NAMES } from './functions.ts'
import { mayHoldExpressions, scanTemplate } from './scan.ts'

/** An expression of a string. Its offset is a zero-based UTF-16 index into the string. */
export interface WrittenExpression {
  readonly source: string
  readonly offset: number
}

/** The expressions of a string. Empty for an invalid string. */
export function expressionsIn(text: string): readonly WrittenExpression[] {
  if (!mayHoldExpressions(text)) return []
  return unlessBroken(() => scanTemplate(text).filter((segment) => segment.kind === 'expression')) ?? []
}

/** The parsed expression; undefined for an invalid one. */
export function parseExpression(source: string): ExprNode | undefined {
  return unlessBroken(() => compileExpression(source, { functionNames: FUNCTION_NAMES, checks: 'none' }).root)
}

function unlessBroken<Found>(find: () => Found): Found | undefined {
  try {
    return find()
  } catch (error) {
    if (error instanceof TemplateError) return undefined
    throw error
  }
}
