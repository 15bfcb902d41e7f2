import { missingKeyTest } from '../../policy/expand/missing-data.ts'
import type { PolicyDocument } from '../../policy/read/policy.ts'
import { memberReadsOfSource, memberReadsOfString } from '../../policy/template/index.ts'
import { type Read, readsOfSource, readsOfString } from '../../policy/template/reads.ts'
import { member, type TreeNode } from '../../policy/document/tree.ts'

/**
 * Data keys, such as `log.level`, that the resources of a policy read unconditionally and that neither the policy nor
 * its loader provides. Ignores other files and computed keys.
 */
export function dataNeeds({ root, policy, written, evaluation }: PolicyDocument): readonly string[] {
  if (evaluation === undefined || member(member(root, 'ccm'), 'resources_jet_file') !== undefined) return []
  const reads = policy.resources.flatMap(({ id }) => {
    const { name, body } = written.get(id) ?? {}
    const properties = [...(body ?? [])].map(([property, { value }]) => readsIn(value, property === 'control'))
    return [...(name === undefined ? [] : [readsIn(name, false)]), ...properties].flat()
  })
  const asked = new Set(reads.filter(({ isAsked }) => isAsked).map(({ path }) => path.join('.')))
  const isMissing = missingKeyTest(root, evaluation.data)
  const needs = reads.flatMap(({ path, isAsked }) => {
    const key = path.join('.')
    return isAsked || asked.has(key) || path.length === 0 || isMissing(path) === undefined ? [] : [key]
  })
  return [...new Set(needs)].toSorted()
}

interface DataRead {
  readonly path: readonly (string | number)[]
  readonly isAsked: boolean
}

function readsIn(node: TreeNode, isControl: boolean): readonly DataRead[] {
  if (node.kind === 'list') return node.items.flatMap((item) => readsIn(item, false))
  if (node.kind === 'map')
    return [...node.entries].flatMap(([key, { value }]) =>
      isControl && value.kind === 'scalar' && (key === 'if' || key === 'unless')
        ? [...fromData(memberReadsOfSource(value.text)), ...lookupsIn(readsOfSource(value.text))]
        : readsIn(value, false),
    )
  return [...fromData(memberReadsOfString(node.text)), ...lookupsIn(readsOfString(node.text))]
}

function fromData(reads: ReturnType<typeof memberReadsOfString>): readonly DataRead[] {
  return reads.filter(({ root }) => root === 'Data')
}

/** Dotted names and numbers; other lookup syntax selects, and returns nothing if there is no value. */
const PLAIN_LOOKUP = /^data(?:\.[\p{L}\p{N}_ -]+)+$/u

function lookupsIn(reads: readonly Read[]): readonly DataRead[] {
  return reads.flatMap((read) =>
    read.kind === 'lookup' && PLAIN_LOOKUP.test(read.path)
      ? [{ path: read.path.split('.').slice(1), isAsked: read.hasDefault }]
      : [],
  )
}
