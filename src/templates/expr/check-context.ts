import { errorAt } from './position.ts'
import type { TemplateError } from '../errors.ts'
import type { ExprNode } from './syntax.ts'
import type { ExprType } from './types.ts'

/** What an expression may use, as far as it is known before evaluation. */
export interface Declarations {
  readonly source: string
  readonly environment: ReadonlyMap<string, ExprType>
  readonly functionNames: ReadonlySet<string>
  /** Whether a name that is not declared is an error or nil. */
  readonly undefinedNames: 'error' | 'nil'
}

interface PredicateScope {
  readonly collection: ExprType
  readonly pointers: ReadonlyMap<string, ExprType>
}

/** What is known at a node. */
export interface CheckScope {
  readonly declarations: Declarations
  readonly variables: ReadonlyMap<string, ExprType>
  readonly predicate: PredicateScope | undefined
}

/** Checks a node and gives its type; handed in so that files need not import each other. */
export type Check = (node: ExprNode, scope: CheckScope) => ExprType

/** The error of a node. */
export function checkError(node: ExprNode, scope: CheckScope, message: string, hint?: string): TemplateError {
  return errorAt(message, scope.declarations.source, node.offset, { hint })
}
