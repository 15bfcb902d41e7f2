import type { Problem } from '../core/problem.ts'
import { errorAt, type SourceText } from '../document/lines.ts'
import { readDocument, saysNothing } from '../document/read-document.ts'
import { plain, type TreeNode } from '../document/tree.ts'
import { sentence } from './problem.ts'
import { type GossDocument, readGoss } from './read.ts'
import type { GossContent } from './resource.ts'

/** What stands in one text, with what is wrong at its places. */
export interface ReadGossText extends Pick<GossDocument, 'resources' | 'includes'> {
  readonly root?: TreeNode
  readonly problems: readonly Problem[]
}

/** Reads a document of Goss from a text whose templates are rendered already. */
export function readGossTree(source: SourceText): ReadGossText {
  // What templates leave of a file for other machines; whether all files together say anything is asked later.
  if (saysNothing(source.text)) return { resources: [], includes: [], problems: [] }
  const read = readDocument(source, 'Goss file')
  if (!('root' in read)) return { resources: [], includes: [], problems: read.problems }
  const { root } = read
  const { resources, includes, problems } = readGoss(contentOf(root))
  const placed = problems.map(({ path, message, isWarning = false }): Problem => {
    const problem = errorAt(source, placeOf(root, path), sentence(path, message))
    return isWarning ? { ...problem, severity: 'warning' } : problem
  })
  return { root, resources, includes, problems: [...read.problems, ...placed] }
}

/** The content of a node as plain data. Whole numbers beyond what is exact are as near as a number can be. */
export function contentOf(node: TreeNode): GossContent {
  return plain(node, ({ value }) => (typeof value === 'bigint' ? Number(value) : value)) as GossContent
}

/** Where the value at the end of some keys stands: its key, or the last one of them that is there. */
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
