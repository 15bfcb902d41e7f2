import type { Problem } from '../../../model/problem.ts'
import { indentContinued } from '../../../policy/document/indent-continued.ts'
import { errorAt, type SourceText, sourceText } from '../../../policy/document/lines.ts'
import { readDocument, saysNothing } from '../../../policy/document/read-document.ts'
import { asMap, entriesOf, member, toPlainValue, type TreeNode } from '../../../policy/document/tree.ts'
import { isMap } from './matchers/parse.ts'
import { sentence } from './problem.ts'
import { type GossDocument, type GossResource, readGoss } from './read.ts'
import type { GossContent } from './resource.ts'

export interface ReadGossText extends Pick<GossDocument, 'resources' | 'includes'> {
  /** The source of the positions in `root`. */
  readonly source: SourceText
  readonly root?: TreeNode
  readonly problems: readonly Problem[]
}

/** Parses a Goss document whose templates are already rendered. */
export function readGossTree(written: SourceText): ReadGossText {
  // A template may render nothing on this machine; a later check covers all documents together.
  if (saysNothing(written.text)) return { source: written, resources: [], includes: [], problems: [] }
  const { source, read } = readAsGo(written)
  if (!('root' in read)) return { source, resources: [], includes: [], problems: read.problems }
  const { root, aliased = new Set() } = read
  const { resources, includes, problems } = readGoss(documentOf(root), anchorHolders(root, aliased))
  const placed = problems.map(({ path, message, isWarning = false }): Problem => {
    const problem = errorAt(source, placeOf(root, path), sentence(path, message))
    return isWarning ? { ...problem, severity: 'warning' } : problem
  })
  return { source, root, resources: inOrder(root, resources), includes, problems: [...read.problems, ...placed] }
}

/** In document order: plain objects sort numeric keys, such as ports, first. */
function inOrder(root: TreeNode, resources: readonly GossResource[]): readonly GossResource[] {
  const labelOf = (type: string, key: string): string => JSON.stringify([type, key])
  const labels = [...entriesOf(root)].flatMap(([type, { value }]) =>
    [...entriesOf(value).keys()].map((key) => labelOf(type, key)),
  )
  const ranks = new Map(labels.map((label, index) => [label, index]))
  const rankOf = ({ type, key }: GossResource): number => ranks.get(labelOf(type, key)) ?? 0
  return resources.toSorted((left, right) => rankOf(left) - rankOf(right))
}

interface ReadAsGo {
  readonly source: SourceText
  readonly read: ReturnType<typeof readDocument>
}

/** Go accepts less indentation than YAML requires. */
function readAsGo(source: SourceText): ReadAsGo {
  const read = readDocument(source, 'Goss file')
  if ('root' in read) return { source, read }
  const indented = sourceText(source.file, indentContinued(source.text))
  const again = readDocument(indented, 'Goss file')
  return 'root' in again ? { source: indented, read: again } : { source, read }
}

/** The document, with `title` and `meta` as written for values that look like numbers: an id such as `1.10`. */
function documentOf(root: TreeNode): GossContent {
  const content = contentOf(root)
  for (const [type, { value: resources }] of entriesOf(root)) {
    for (const [key, { value: body }] of entriesOf(resources)) {
      for (const name of ['title', 'meta']) keepText(content, [type, key, name], member(body, name))
    }
  }
  return content
}

function keepText(content: GossContent, path: readonly string[], node: TreeNode | undefined): void {
  const last = path.at(-1) ?? ''
  const holder = path.slice(0, -1).reduce<unknown>((at, step) => (isMap(at) ? at[step] : undefined), content)
  if (node === undefined || !isMap(holder)) return
  const text = toPlainValue(node, ({ value, text: written }) =>
    typeof value === 'number' || typeof value === 'bigint' ? written : value,
  )
  Object.assign(holder, { [last]: text })
}

/** Top-level keys that only hold the anchors of aliases. */
function anchorHolders(root: TreeNode, aliased: ReadonlySet<TreeNode>): ReadonlySet<string> {
  const members = [...(asMap(root)?.entries ?? [])]
  const holders = members.filter(([, { keyOffset, value }], index) => {
    const end = members[index + 1]?.[1].keyOffset ?? Infinity
    return [...aliased].some(({ offset }) => offset > keyOffset && offset < end && value.kind === 'map')
  })
  return new Set(holders.map(([key]) => key))
}

/** The content of a node as plain data. Large integers are rounded. */
export function contentOf(node: TreeNode): GossContent {
  return toPlainValue(node, ({ value }) => (typeof value === 'bigint' ? Number(value) : value)) as GossContent
}

/** The position of the value at a key path: its key, or the last existing key of the path. */
export function placeOf(root: TreeNode, path: readonly string[]): number {
  let node = root
  let { offset } = root
  for (const step of path) {
    if (node.kind === 'map') {
      const member = node.entries.get(step)
      if (member === undefined) return offset
      offset = member.keyOffset
      node = member.value
    } else if (node.kind === 'list') {
      const item = node.items[Number(step)]
      if (item === undefined) return offset
      ;({ offset } = item)
      node = item
    }
  }
  return offset
}
