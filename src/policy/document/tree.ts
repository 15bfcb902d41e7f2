/** A value of a policy with where it was written: aliases followed, merge keys merged, keys as text. */
export type TreeNode = TreeMap | TreeList | TreeScalar

export interface TreeMap {
  readonly kind: 'map'
  readonly offset: number
  readonly entries: ReadonlyMap<string, TreeMember>
}

export interface TreeMember {
  readonly keyOffset: number
  readonly value: TreeNode
}

interface TreeList {
  readonly kind: 'list'
  readonly offset: number
  readonly items: readonly TreeNode[]
}

/** `text` is what was written, quotes and escapes undone; `value` is what YAML 1.2 takes it for. */
export interface TreeScalar {
  readonly kind: 'scalar'
  readonly offset: number
  readonly value: string | number | boolean | bigint | null
  readonly text: string
}

/** What V8 keeps objects without a prototype in is slow; an empty one without a prototype of its own is as good. */
const NO_MEMBERS: object = Object.freeze(Object.create(null))

/** The tree as plain data: maps that inherit nothing, so that no key is special. */
export function plain(node: TreeNode, valueOf: (scalar: TreeScalar) => unknown = ({ value }) => value): unknown {
  if (node.kind === 'scalar') return valueOf(node)
  if (node.kind === 'list') return node.items.map((item) => plain(item, valueOf))
  const map: Record<string, unknown> = Object.create(NO_MEMBERS)
  for (const [key, { value }] of node.entries) map[key] = plain(value, valueOf)
  return map
}

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
export function entriesOf(node: TreeNode | undefined): ReadonlyMap<string, TreeMember> {
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
