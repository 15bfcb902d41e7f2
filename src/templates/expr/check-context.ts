import { errorAt } from './position.ts'
import type { TemplateError } from '../errors.ts'
import type { ExprNode } from './syntax.ts'
import type { ExprType } from './types.ts'

/** Names available to an expression, as far as known before evaluation. */
export interface Declarations {
  readonly source: string
  readonly environment: ReadonlyMap<string, ExprType>
  readonly functionNames: ReadonlySet<string>
  /** Whether an undeclared name is an error or nil. */
  readonly undefinedNames: 'error' | 'nil'
}

interface PredicateScope {
  readonly collection: ExprType
  readonly pointers: ReadonlyMap<string, ExprType>
}

/** Types known at a node. */
export interface CheckScope {
  readonly declarations: Declarations
  readonly variables: ReadonlyMap<string, ExprType>
  readonly predicate: PredicateScope | undefined
}

/** Checks a node and returns its type; passed in to avoid import cycles. */
export type Check = (node: ExprNode, scope: CheckScope) => ExprType

export function checkError(node: ExprNode, scope: CheckScope, message: string, hint?: string): TemplateError {
  return errorAt(message, scope.declarations.source, node.offset, { hint })
}
