import { failAt, MAX_EXPRESSION_DEPTH, type Cursor } from './cursor.ts'
import type { ExprNode } from './syntax.ts'

type Unfinished<T> = T extends unknown ? Omit<T, 'depth'> : never

/** Creates a node with its depth and counts it against the budget. Throws a `TemplateError` if it is too deep. */
export function build(
  cursor: Cursor,
  node: Unfinished<ExprNode>,
  children: readonly (ExprNode | undefined)[],
): ExprNode {
  cursor.budget.node(node.offset)
  let depth = 1
  for (const child of children) if (child !== undefined && child.depth >= depth) depth = child.depth + 1
  if (depth > MAX_EXPRESSION_DEPTH) throw failAt(cursor, 'expression is nested too deeply')
  return Object.assign(node, { depth })
}

/** Adds a member to the chain of its object, so that one nil ends the whole chain. */
export function joinChain(
  cursor: Cursor,
  object: ExprNode,
  optional: boolean, // oxlint-disable-line -- the flag of the syntax itself
  make: (object: ExprNode) => ExprNode,
): ExprNode {
  const isChain = object.kind === 'chain'
  const member = make(isChain ? object.body : object)
  if (!isChain && !optional) return member
  return build(cursor, { kind: 'chain', offset: member.offset, body: member }, [member])
}
