import { toPlainValue, type TreeMap, type TreeMember, type TreeNode } from '../document/tree.ts'

// Composed nodes have no text of their own; their offset is that of the reference in the policy.

export function text(value: string, offset: number): TreeNode {
  return { kind: 'scalar', offset, text: value, value }
}

export function list(items: readonly TreeNode[], offset: number): TreeNode {
  return { kind: 'list', offset, items }
}

/** A map at an offset, without undefined members. */
export function map(members: Readonly<Record<string, TreeNode | undefined>>, offset: number): TreeMap {
  const entries = new Map<string, TreeMember>()
  for (const [key, value] of Object.entries(members))
    if (value !== undefined) entries.set(key, { keyOffset: offset, value })
  return { kind: 'map', offset, entries }
}

/** The map with a member added or replaced. */
export function withMember(node: TreeMap, key: string, value: TreeNode): TreeMap {
  return { ...node, entries: new Map(node.entries).set(key, { keyOffset: node.offset, value }) }
}

/** The value at another offset. */
export function relocateNode<Node extends TreeNode>(node: Node, offset: number): Node
export function relocateNode(node: TreeNode, offset: number): TreeNode {
  if (node.kind === 'scalar') return { ...node, offset }
  if (node.kind === 'list') return { ...node, offset, items: node.items.map((item) => relocateNode(item, offset)) }
  const entries = [...node.entries].map(([key, { value }]): [string, TreeMember] => [
    key,
    { keyOffset: offset, value: relocateNode(value, offset) },
  ])
  return { ...node, offset, entries: new Map(entries) }
}

/** A value as text; equal values give equal texts. */
export function textOfNode(node: TreeNode): string {
  return JSON.stringify(toPlainValue(node, ({ value }) => (typeof value === 'bigint' ? `${value}n` : value)))
}
