import { TemplateError } from '../../templates/errors.ts'
import { childrenOf } from '../../templates/expr/children.ts'
import { compileExpression } from '../../templates/expr/index.ts'
import type { CallNode, ExprNode, MemberNode } from '../../templates/expr/syntax.ts'
import { FUNCTION_NAMES } from './functions.ts'
import { mayHoldExpressions, scanTemplate } from './scan.ts'

/** The top-level facts that may be read: all, or those with the given names. */
export type FactFamilies = 'all' | ReadonlySet<string>

export const noFacts: FactFamilies = new Set()

export function unionOfFacts(families: Iterable<FactFamilies>): FactFamilies {
  const names = new Set<string>()
  for (const family of families) {
    if (family === 'all') return 'all'
    for (const name of family) names.add(name)
  }
  return names
}

/** The facts that the expressions in a string may read. Empty for an invalid string, which fails later. */
export function factsOfString(text: string): FactFamilies {
  if (!mayHoldExpressions(text)) return noFacts
  return unlessBroken(() => {
    const expressions = scanTemplate(text).filter((segment) => segment.kind === 'expression')
    return unionOfFacts(expressions.map(({ source }) => factsOfSource(source)))
  })
}

/** The facts that a bare expression, such as a condition, may read. */
export function factsOfSource(source: string): FactFamilies {
  return unlessBroken(() => {
    return factsOfExpression(compileExpression(source, { functionNames: FUNCTION_NAMES, checks: 'none' }).root)
  })
}

/** The syntax error of an expression, regardless of names; undefined if it is valid. */
export function syntaxErrorOf(source: string): TemplateError | undefined {
  try {
    compileExpression(source, { functionNames: FUNCTION_NAMES, checks: 'none' })
    return undefined
  } catch (error) {
    if (error instanceof TemplateError) return error
    throw error
  }
}

function unlessBroken(find: () => FactFamilies): FactFamilies {
  try {
    return find()
  } catch (error) {
    if (error instanceof TemplateError) return noFacts
    throw error
  }
}

/**
 * The facts an expression may read: `Facts.host…` and `lookup("facts.host…")` read one family; if the source alone does
 * not tell, all.
 */
export function factsOfExpression(node: ExprNode): FactFamilies {
  const names = new Set<string>()
  return collect(node, names) ? 'all' : names.size === 0 ? noFacts : names
}

/** Adds the facts a node may read to the names; true if it may read all. Every expression passes through here. */
function collect(node: ExprNode, names: Set<string>): boolean {
  switch (node.kind) {
    case 'identifier':
      return node.name === 'Facts' || node.name === '$env'
    case 'member':
      return collectMember(node, names)
    case 'call':
      return collectCall(node, names)
    default:
      return childrenOf(node).some((child) => collect(child, names))
  }
}

function collectMember({ object, property }: MemberNode, names: Set<string>): boolean {
  if (object.kind === 'identifier' && object.name === 'Facts' && property.kind === 'string') {
    names.add(property.value)
    return false
  }
  return collect(object, names) || collect(property, names)
}

function collectCall({ callee, args }: CallNode, names: Set<string>): boolean {
  const name = callee.kind === 'identifier' ? callee.name : undefined
  // Their templates may read any fact.
  if (name === 'template' || name === 'jet') return true
  const [path] = args
  if (name === 'lookup') {
    const families = path?.kind === 'string' ? factsOfPath(path.value) : 'all'
    if (families === 'all') return true
    for (const family of families) names.add(family)
  }
  return collect(callee, names) || args.some((arg) => collect(arg, names))
}

const plainComponent = /^[\p{L}\p{N}_-]+(?=[.|]|$)/u

/** The facts a lookup path may read; all if the path does not start with plain names. */
export function factsOfPath(path: string): FactFamilies {
  const root = plainComponent.exec(path)?.[0]
  if (root === undefined) return path === '' ? noFacts : 'all'
  if (root !== 'facts') return noFacts
  const family = plainComponent.exec(path.slice(root.length + 1))?.[0]
  return family === undefined ? 'all' : new Set([family])
}
