import { expressionsIn, parseExpression } from './written-expressions.ts'
import { childrenOf } from '../../templates/expr/children.ts'
import type { BuiltinNode, CallNode, ExprNode, MemberNode } from '../../templates/expr/syntax.ts'

/** The variables through which expressions read external values. */
export type ReadRoot = 'Data' | 'Facts' | 'Environ' | 'Resources' | 'WorkingDir'

export type Read =
  /** `Data.log.level`: a variable with keys and indices. */
  | { readonly kind: 'member'; readonly root: ReadRoot; readonly path: readonly (string | number)[] }
  /** `lookup("data.log.level", "info")`: a GJSON path, and whether there is a default. */
  | { readonly kind: 'lookup'; readonly path: string; readonly hasDefault: boolean }
  /** `readFile("motd")`: a file name as written. */
  | { readonly kind: 'file'; readonly use: FileUse; readonly path: string }
  /** A call with a computed argument, so that its read is known only during the evaluation. */
  | { readonly kind: 'computed'; readonly function: string }

/** The use of a file: its text, rendering as a template, or a check of its existence. */
export type FileUse = 'text' | 'template' | 'jet' | 'existence'

/** The reads of all expressions in a string, without duplicates. Empty for an invalid string. */
export function readsOfString(text: string): readonly Read[] {
  return removeDuplicates(expressionsIn(text).flatMap(({ source }) => readsOfSource(source)))
}

/** The reads of a bare expression, such as a condition, without duplicates. Empty if it is invalid. */
export function readsOfSource(source: string): readonly Read[] {
  const root = parseExpression(source)
  const reads: Read[] = []
  if (root !== undefined) collect(root, reads)
  return removeDuplicates(reads)
}

function removeDuplicates(reads: readonly Read[]): readonly Read[] {
  return [...new Map(reads.map((read) => [JSON.stringify(read), read])).values()]
}

function collect(node: ExprNode, reads: Read[]): void {
  const path = pathOf(node)
  const read = path === undefined ? undefined : memberRead(path)
  if (read !== undefined) reads.push(read)
  else if (node.kind === 'call' && node.callee.kind === 'identifier') collectCall(node, node.callee.name, reads)
  else for (const child of childrenOf(node)) collect(child, reads)
}

/** A variable with its literal steps. */
interface WrittenPath {
  readonly variable: string
  readonly steps: readonly (string | number)[]
}

function pathOf(node: ExprNode): WrittenPath | undefined {
  switch (node.kind) {
    case 'identifier':
      return { variable: node.name, steps: [] }
    case 'chain':
      return pathOf(node.body)
    case 'member':
      return node.called ? undefined : pathOfStep(node.object, node.property)
    case 'builtin':
      return pathOfGet(node)
    default:
      return undefined
  }
}

function pathOfStep(object: MemberNode['object'], step: ExprNode): WrittenPath | undefined {
  const path = pathOf(object)
  if (path === undefined || (step.kind !== 'string' && step.kind !== 'int')) return undefined
  return { ...path, steps: [...path.steps, step.kind === 'int' ? Number(step.value) : step.value] }
}

/** `get(Data, "port")` is `Data.port` with a possibly missing key. */
function pathOfGet({ name, args: [object, step, ...rest] }: BuiltinNode): WrittenPath | undefined {
  if (name !== 'get' || object === undefined || step === undefined || rest.length > 0) return undefined
  return pathOfStep(object, step)
}

const ROOTS: ReadonlySet<string> = new Set<ReadRoot>(['Data', 'Facts', 'Environ', 'Resources', 'WorkingDir'])

function memberRead({ variable, steps }: WrittenPath): Read | undefined {
  if (isRoot(variable)) return { kind: 'member', root: variable, path: steps }
  if (variable !== '$env') return undefined
  const [root, ...path] = steps
  return typeof root === 'string' && isRoot(root)
    ? { kind: 'member', root, path }
    : { kind: 'computed', function: '$env' }
}

function isRoot(name: string): name is ReadRoot {
  return ROOTS.has(name)
}

function collectCall({ args }: CallNode, name: string, reads: Read[]): void {
  const [first, ...others] = args
  if (first?.kind === 'string') reads.push(...readsOfCall(name, first.value, others.length > 0))
  else if (first !== undefined && READERS.has(name)) reads.push({ kind: 'computed', function: name })
  for (const argument of args) collect(argument, reads)
}

const READERS: ReadonlySet<string> = new Set(['lookup', 'readFile', 'file', 'template', 'jet', 'fileExists'])

function readsOfCall(name: string, argument: string, hasMore: boolean): readonly Read[] {
  switch (name) {
    case 'lookup':
      return [{ kind: 'lookup', path: argument, hasDefault: hasMore }]
    case 'readFile':
    case 'file':
      return [{ kind: 'file', use: 'text', path: argument }]
    case 'fileExists':
      return [{ kind: 'file', use: 'existence', path: argument }]
    case 'template':
      if (argument.endsWith('.templ')) return [{ kind: 'file', use: 'template', path: argument }]
      return argument.endsWith('.jet') ? [{ kind: 'file', use: 'jet', path: argument }] : readsOfString(argument)
    case 'jet':
      return argument.endsWith('.jet')
        ? [{ kind: 'file', use: 'jet', path: argument }]
        : [{ kind: 'computed', function: 'jet' }]
    default:
      return []
  }
}
