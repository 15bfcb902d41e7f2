import type { TreeEntry, TreeMap, TreeNode } from './tree.ts'

// The reader goes on after a wrong shape, which the schema has already reported; these give nothing for one.

/** The member of a map, if it is a map and has it. */
export function member(node: TreeNode | undefined, key: string): TreeNode | undefined {
  return node?.kind === 'map' ? node.entries.get(key)?.value : undefined
}

/** The text of a scalar as it was written; undefined for null and for anything else. */
export function textOf(node: TreeNode | undefined): string | undefined {
  return node?.kind === 'scalar' && node.value !== null ? node.text : undefined
}

/** The items of a list. */
export function itemsOf(node: TreeNode | undefined): readonly TreeNode[] {
  return node?.kind === 'list' ? node.items : []
}

/** The entries of a map. */
export function entriesOf(node: TreeNode | undefined): ReadonlyMap<string, TreeEntry> {
  return node?.kind === 'map' ? node.entries : new Map()
}

/** The texts of a list, each with its node. */
export function textsOf(node: TreeNode | undefined): readonly { readonly text: string; readonly offset: number }[] {
  if (node?.kind !== 'list') return []
  return node.items.flatMap((item) => {
    const text = textOf(item)
    return text === undefined ? [] : [{ text, offset: item.offset }]
  })
}

/** Whether a node says something: not the null of `key:` or `~`. */
export function isGiven(node: TreeNode): boolean {
  return node.kind !== 'scalar' || node.value !== null
}

/** A node if it is a map. */
export function asMap(node: TreeNode | undefined): TreeMap | undefined {
  return node?.kind === 'map' ? node : undefined
}
