import { TemplateError } from '../../templates/errors.ts'
import type { Read, ReadRoot } from './reads.ts'
import type { AccessStep, Command, Expression } from '../../templates/jet/ast.ts'
import { parseJet } from '../../templates/jet/index.ts'

/** The variables of Jet templates, in both spellings. */
const ROOTS: ReadonlyMap<string, ReadRoot> = new Map([
  ['data', 'Data'],
  ['Data', 'Data'],
  ['facts', 'Facts'],
  ['Facts', 'Facts'],
  ['environ', 'Environ'],
  ['Environ', 'Environ'],
])

/** The static reads of a Jet template: variables with their members, and lookups. Empty for a template with a syntax error. */
export function readsOfJet(source: string): readonly Read[] {
  try {
    const { body } = parseJet(source, { delimiters: ['[[', ']]'] })
    const reads: Read[] = []
    walk(body, reads)
    return reads
  } catch (error) {
    if (error instanceof TemplateError) return []
    throw error
  }
}

/** Visits all expressions in a syntax tree, regardless of the kind of statement. */
function walk(node: unknown, reads: Read[]): void {
  if (Array.isArray(node)) {
    for (const item of node) walk(item, reads)
  } else if (typeof node === 'object' && node !== null) {
    const read = isCommand(node) ? lookupOf(node.base, node.args) : isExpression(node) ? readOf(node) : undefined
    if (read !== undefined) reads.push(read)
    // The base of an access is part of the read.
    const { base, ...rest }: { readonly base?: unknown } = node
    walk(read === undefined ? [base, ...Object.values(rest)] : Object.values(rest), reads)
  }
}

type Reading = Extract<Expression, { kind: 'access' | 'identifier' }>

function isExpression(node: object): node is Reading {
  return 'kind' in node && (node.kind === 'access' || node.kind === 'identifier')
}

/** A member of a pipeline is the only node with arguments and without a kind. */
function isCommand(node: object): node is Command {
  return 'base' in node && 'args' in node && !('kind' in node)
}

function readOf(node: Reading): Read | undefined {
  if (node.kind === 'identifier') return member(node.name, [])
  const [call] = node.steps
  const lookup = call?.kind === 'call' ? lookupOf(node.base, call.args) : undefined
  if (lookup !== undefined) return lookup
  if (node.base.kind !== 'identifier' && node.base.kind !== 'context') return undefined
  const path = node.base.kind === 'identifier' ? [node.base.name] : []
  for (const step of node.steps) {
    const keys = keysOf(step)
    if (keys === undefined) break
    path.push(...keys)
  }
  const [name, ...keys] = path
  return name === undefined ? undefined : member(name, keys)
}

function member(name: string, path: readonly string[]): Read | undefined {
  const root = ROOTS.get(name)
  return root === undefined ? undefined : { kind: 'member', root, path }
}

function keysOf(step: AccessStep): readonly string[] | undefined {
  if (step.kind === 'fields') return step.names
  return step.kind === 'index' && step.index.kind === 'string' ? [step.index.value] : undefined
}

function lookupOf(base: Expression, args: Command['args']): Read | undefined {
  if (base.kind !== 'identifier' || base.name !== 'lookup' || args === undefined) return undefined
  const [path, ...others] = args
  if (path?.kind !== 'string') return { kind: 'computed', function: 'lookup' }
  return { kind: 'lookup', path: path.value, hasDefault: others.length > 0 }
}
