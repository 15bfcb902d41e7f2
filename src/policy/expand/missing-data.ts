import type { DataMap } from '../data/merge.ts'
import { formatGoValue, type GoValue, isGoMap } from '../../templates/govalue/index.ts'
import { type MemberRead, memberReadsOfSource, memberReadsOfString, type MissingTest } from '../template/index.ts'
import { hasTemplate } from './has-template.ts'
import { entriesOf, member, type TreeNode } from '../document/tree.ts'

/**
 * Makes a test for keys of a policy's data that are missing on every machine: they are not in the data, no level of the
 * hierarchy defines them, and nothing in the policy checks their presence. Unknown for a policy without data, and for
 * one with resources rendered from a template.
 */
export function missingDataTest(root: TreeNode, data: DataMap): MissingTest {
  const isRendered = member(member(root, 'ccm'), 'resources_jet_file') !== undefined
  return isRendered || data.size === 0 ? () => undefined : missingKeyTest(root, data)
}

/** Makes the test for a policy that is not rendered from a template and has all its data. */
export function missingKeyTest(root: TreeNode, data: DataMap): MissingTest {
  const written = [
    member(root, 'data'),
    ...[...entriesOf(member(root, 'overrides')).values()].map(({ value }) => value),
  ]
  let asked: ReadonlySet<string> | undefined
  return (path) => {
    let value: GoValue = data
    for (const [at, step] of path.entries()) {
      if (!isGoMap(value)) return undefined
      const next: GoValue | undefined = value.get(String(step))
      if (next === undefined) {
        const keys = path.slice(0, at + 1).map(String)
        asked ??= askedIn(root)
        const mayBeThere = asked.has(keys.join('\0')) || written.some((node) => mayHold(node, keys))
        return mayBeThere ? undefined : { known: [...value.keys()].map((key) => formatGoValue(key)), at }
      }
      value = next
    }
    return undefined
  }
}

/** Whether a part of the data has, or may have after expansion, a value at a path. */
function mayHold(node: TreeNode | undefined, keys: readonly string[]): boolean {
  if (node === undefined) return false
  const [key, ...rest] = keys
  if (key === undefined) return true
  if (node.kind !== 'map') return node.kind === 'scalar' && hasTemplate(node.text)
  return mayHold(node.entries.get(key)?.value, rest)
}

/** The keys whose presence the policy checks, as paths. */
function askedIn(root: TreeNode): ReadonlySet<string> {
  const found = new Set<string>()
  const note = (reads: readonly MemberRead[]): void => {
    for (const { root: from, path, isAsked } of reads) if (isAsked && from === 'Data') found.add(path.join('\0'))
  }
  const walk = (node: TreeNode, isCondition: boolean): void => {
    if (node.kind === 'map') for (const [key, { value }] of node.entries) walk(value, key === 'if' || key === 'unless')
    else if (node.kind === 'list') for (const item of node.items) walk(item, false)
    else note([...memberReadsOfString(node.text), ...(isCondition ? memberReadsOfSource(node.text) : [])])
  }
  walk(root, false)
  return found
}
