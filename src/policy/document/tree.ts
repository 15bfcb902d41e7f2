/** A value of a policy with its offset: aliases followed, merge keys merged, keys as text. */
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

/** `text` is the source text without quotes and escapes; `value` is its value in YAML 1.2. */
export interface TreeScalar {
  readonly kind: 'scalar'
  readonly offset: number
  readonly value: string | number | boolean | bigint | null
  readonly text: string
}

/** Null-prototype objects are slow in V8; inheriting from an empty one is equivalent and fast. */
const NO_MEMBERS: object = Object.freeze(Object.create(null))

/** The tree as plain data: maps inherit nothing, so that no key is special. */
export function toPlainValue(node: TreeNode, valueOf: (scalar: TreeScalar) => unknown = ({ value }) => value): unknown {
  if (node.kind === 'scalar') return valueOf(node)
  if (node.kind === 'list') return node.items.map((item) => toPlainValue(item, valueOf))
  const map: Record<string, unknown> = Object.create(NO_MEMBERS)
  for (const [key, { value }] of node.entries) map[key] = toPlainValue(value, valueOf)
  return map
}

// Reading continues after a wrong shape, which the schema has already reported; these functions then return nothing.

/** The member of a map; undefined if missing or if the node is not a map. */
export function member(node: TreeNode | undefined, key: string): TreeNode | undefined {
  return node?.kind === 'map' ? node.entries.get(key)?.value : undefined
}

/** The source text of a scalar; undefined for null and for other nodes. */
export function textOf(node: TreeNode | undefined): string | undefined {
  return node?.kind === 'scalar' && node.value !== null ? node.text : undefined
}

/** The items of a list; empty for other nodes. */
export function itemsOf(node: TreeNode | undefined): readonly TreeNode[] {
  return node?.kind === 'list' ? node.items : []
}

/** The entries of a map; empty for other nodes. */
export function entriesOf(node: TreeNode | undefined): ReadonlyMap<string, TreeMember> {
  return node?.kind === 'map' ? node.entries : new Map()
}

/** The texts of a list with their offsets. */
export function textsOf(node: TreeNode | undefined): readonly { readonly text: string; readonly offset: number }[] {
  if (node?.kind !== 'list') return []
  return node.items.flatMap((item) => {
    const text = textOf(item)
    return text === undefined ? [] : [{ text, offset: item.offset }]
  })
}

/** Whether a node has a value: false for the null of `key:` or `~`. */
export function isGiven(node: TreeNode): boolean {
  return node.kind !== 'scalar' || node.value !== null
}

export function asMap(node: TreeNode | undefined): TreeMap | undefined {
  return node?.kind === 'map' ? node : undefined
}
