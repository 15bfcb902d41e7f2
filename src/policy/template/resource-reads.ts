import { expressionsIn, parseExpression } from './written-expressions.ts'
import { childrenOf } from '../../templates/expr/children.ts'
import type { CallNode, ExprNode, MemberNode } from '../../templates/expr/syntax.ts'

/** An exported value of another resource in a template. Offsets are zero-based UTF-16 indexes into the text. */
export type ResourceRead =
  /** `Resources["type#name"].field` */
  | { readonly kind: 'member'; readonly resource: string; readonly field: string; readonly offset: number }
  /** `lookup("resources.type#name.field")`; the path after `resources.` */
  | { readonly kind: 'path'; readonly path: string; readonly offset: number }
  /** The text does not tell which value is read. */
  | { readonly kind: 'unclear'; readonly offset: number }

/** The variable with the exported values of other resources. */
export const RESOURCES = 'Resources'

const PREFIX = 'resources.'

const NO_READS: readonly ResourceRead[] = []

/** The part of a lookup path after `resources.`; undefined for other paths. */
export function resourcePath(path: string): string | undefined {
  if (path.startsWith(PREFIX)) return path.slice(PREFIX.length)
  return path === 'resources' || path.startsWith('resources|') ? '' : undefined
}

/** The exported values that the expressions in a string read. Empty for an invalid string. */
export function readsOfString(text: string): readonly ResourceRead[] {
  if (!mayRead(text)) return []
  return expressionsIn(text).flatMap(({ source, offset }) =>
    readsOfSource(source).map((read) => ({ ...read, offset: read.offset + offset })),
  )
}

/** The exported values that a bare expression, such as a condition, reads. */
export function readsOfSource(source: string): readonly ResourceRead[] {
  if (!mayRead(source)) return []
  const root = parseExpression(source)
  return root === undefined ? [] : readsOfExpression(source, root)
}

/** The exported values that a parsed expression reads. */
export function readsOfExpression(source: string, root: ExprNode): readonly ResourceRead[] {
  // An escape may hide the name.
  if (!mayRead(source) && !source.includes('\\')) return NO_READS
  const reads: ResourceRead[] = []
  collect(root, reads)
  return reads
}

/** A fast check that avoids parsing most texts. */
function mayRead(text: string): boolean {
  return /resources/i.test(text)
}

function collect(node: ExprNode, reads: ResourceRead[]): void {
  if (node.kind === 'call') reads.push(...readsOfCall(node))
  const read = node.kind === 'member' ? readOfMember(node) : undefined
  if (read !== undefined) reads.push(read)
  else if (isRoot(node)) reads.push({ kind: 'unclear', offset: node.offset })
  else for (const child of childrenOf(node)) collect(child, reads)
}

/** `Resources`, or `$env.Resources`. */
function isRoot(node: ExprNode): boolean {
  if (node.kind === 'identifier') return node.name === RESOURCES
  if (node.kind !== 'member' || node.object.kind !== 'identifier' || node.object.name !== '$env') return false
  return node.property.kind === 'string' && node.property.value === RESOURCES
}

function readOfMember({ object, property, called }: MemberNode): ResourceRead | undefined {
  if (object.kind !== 'member' || called || !isRoot(object.object)) return undefined
  const { offset } = start(object.object)
  if (object.property.kind !== 'string' || property.kind !== 'string') return { kind: 'unclear', offset }
  return { kind: 'member', resource: object.property.value, field: property.value, offset }
}

/** The leftmost node of an expression: the offset of a member is that of the part after the dot. */
function start(node: ExprNode): ExprNode {
  return node.kind === 'member' ? start(node.object) : node
}

function readsOfCall({ callee, args: [argument], offset }: CallNode): readonly ResourceRead[] {
  if (callee.kind !== 'identifier' || argument === undefined) return []
  if (callee.name === 'template' && argument.kind === 'string') {
    return readsOfString(argument.value).map((read) => ({ ...read, offset: argument.offset }))
  }
  if (callee.name !== 'lookup') return []
  if (argument.kind !== 'string') return beginsWithPrefix(argument) ? [{ kind: 'unclear', offset }] : []
  const path = resourcePath(argument.value)
  return path === undefined ? [] : [{ kind: 'path', path, offset: argument.offset }]
}

/** Whether a concatenated text starts with `resources`. */
function beginsWithPrefix(node: ExprNode): boolean {
  if (node.kind === 'string') return /^resources([.|]|$)/.test(node.value)
  return node.kind === 'binary' && node.operator === '+' && beginsWithPrefix(node.left)
}
