import { expressionsIn, parseExpression } from './written-expressions.ts'
import { childrenOf } from '../../templates/expr/children.ts'
import type { CallNode, ExprNode, MemberNode } from '../../templates/expr/syntax.ts'

export interface MemberRead {
  readonly root: 'Facts' | 'Data'
  readonly path: readonly (string | number)[]
  /** Zero-based UTF-16 index of each step in the expression. */
  readonly offsets: readonly number[]
  /** The expression guards the read: by `in`, `?.`, `??`, `get` or a default. */
  readonly isAsked: boolean
}

/** The facts and data keys in an expression, as far as their names are literal. */
export function memberReadsOf(root: ExprNode): readonly MemberRead[] {
  const reads: MemberRead[] = []
  collect(root, false, reads)
  return reads
}

/**
 * The facts and data keys in all expressions of a string; offsets are relative to each expression. Empty for an invalid
 * string.
 */
export function memberReadsOfString(text: string): readonly MemberRead[] {
  return expressionsIn(text).flatMap(({ source }) => memberReadsOfSource(source))
}

/** The facts and data keys of a bare expression, such as a condition. */
export function memberReadsOfSource(source: string): readonly MemberRead[] {
  const root = parseExpression(source)
  return root === undefined ? [] : memberReadsOf(root)
}

function collect(node: ExprNode, isAsked: boolean, reads: MemberRead[]): void {
  switch (node.kind) {
    case 'member':
      return collectMember(node, isAsked, reads)
    case 'chain':
      return collect(node.body, isAsked, reads)
    case 'call':
      return collectCall(node, isAsked, reads)
    case 'binary':
      if (node.operator === 'in') collectStep(node.right, node.left, reads)
      collect(node.left, isAsked || node.operator === '??', reads)
      return collect(node.right, isAsked, reads)
    case 'builtin': {
      const [object, key] = node.args
      if (node.name !== 'get' || object === undefined || key === undefined) break
      collectStep(object, key, reads)
      collect(object, true, reads)
      return collect(key, isAsked, reads)
    }
    default:
      break
  }
  for (const child of childrenOf(node)) collect(child, isAsked, reads)
}

/** `"key" in Data.map` and `get(Data.map, "key")`. */
function collectStep(object: ExprNode, key: ExprNode, reads: MemberRead[]): void {
  const written = writtenPath(object)
  if (written === undefined || key.kind !== 'string') return
  const { root, path, offsets } = written
  reads.push({ root, path: [...path, key.value], offsets: [...offsets, key.offset], isAsked: true })
}

function collectMember(node: MemberNode, isAsked: boolean, reads: MemberRead[]): void {
  const written = writtenPath(node)
  if (written !== undefined) {
    const { isOptional, ...read } = written
    reads.push({ ...read, isAsked: isAsked || isOptional })
    return
  }
  collect(node.object, isAsked || node.optional, reads)
  collect(node.property, isAsked, reads)
}

interface WrittenPath extends Omit<MemberRead, 'isAsked'> {
  readonly isOptional: boolean
}

/** The literal path of a node from one of the roots; undefined for other nodes. */
function writtenPath(node: ExprNode): WrittenPath | undefined {
  if (node.kind === 'chain') return writtenPath(node.body)
  if (node.kind === 'identifier') {
    const { name } = node
    return name === 'Facts' || name === 'Data' ? { root: name, path: [], offsets: [], isOptional: false } : undefined
  }
  if (node.kind !== 'member' || node.called) return undefined
  const step = stepOf(node.property)
  if (step === undefined) return undefined
  if (node.object.kind === 'identifier' && node.object.name === '$env') {
    return step === 'Facts' || step === 'Data'
      ? { root: step, path: [], offsets: [], isOptional: node.optional }
      : undefined
  }
  const object = writtenPath(node.object)
  if (object === undefined) return undefined
  return {
    root: object.root,
    path: [...object.path, step],
    offsets: [...object.offsets, node.property.offset],
    isOptional: object.isOptional || node.optional,
  }
}

function stepOf(property: ExprNode): string | number | undefined {
  if (property.kind === 'int') return Number(property.value)
  return property.kind === 'string' ? property.value : undefined
}

const ROOTS: ReadonlyMap<string, MemberRead['root']> = new Map([
  ['facts', 'Facts'],
  ['data', 'Data'],
])

function collectCall(node: CallNode, isAsked: boolean, reads: MemberRead[]): void {
  const [path, ...others] = node.args
  if (node.callee.kind === 'identifier' && node.callee.name === 'lookup' && path?.kind === 'string') {
    const read = readOfPath(path.value)
    const isGiven = others.length > 0 || isAsked
    if (read !== undefined) {
      reads.push({ ...read, offsets: read.path.map(() => path.offset), isAsked: isGiven })
    }
  }
  for (const child of childrenOf(node)) collect(child, isAsked, reads)
}

/** The plain names at the start of a lookup path; the rest is unknown. */
function readOfPath(path: string): Pick<MemberRead, 'root' | 'path'> | undefined {
  const [plain = ''] = /^[\p{L}\p{N}_.-]*/u.exec(path) ?? []
  const isWhole = plain.length === path.length || path.charAt(plain.length) === '|'
  const names = plain.split('.')
  const [first = '', ...steps] = isWhole ? names : names.slice(0, -1)
  const root = ROOTS.get(first)
  return root === undefined ? undefined : { root, path: steps }
}
