import { errorAt } from '../document/lines.ts'
import type { TreeNode, TreeScalar } from '../document/tree.ts'
import { sentence } from '../../subjects/goss/files/problem.ts'
import { placeOf } from '../../subjects/goss/files/read-tree.ts'
import { rulesProblems } from '../../subjects/goss/files/rules.ts'
import type { GossContent } from '../../subjects/goss/files/resource.ts'
import { hasTemplate } from '../expand/has-template.ts'
import type { Reader } from './body.ts'
import { holdsTemplate } from './written.ts'

/** Expands the templates of a text; undefined without a text. */
type Expand = (node: TreeNode | undefined) => string | undefined

/**
 * Reads the Goss rules of a health check. Templates are expanded in each key and value separately, so that no value
 * changes the rules. CCM expands the whole text before it parses it.
 */
export function readRules(
  { source, problems, evaluation }: Reader,
  node: TreeNode | undefined,
  expand: Expand,
): unknown {
  if (node === undefined) return undefined
  // Without an evaluation the templates remain, and need not be valid values.
  if (evaluation === undefined && holdsTemplate(node)) return undefined
  const rules = expandContent(node, expand)
  const found = rulesProblems(rules)
  for (const { path, message } of found) {
    problems.push(errorAt(source, placeOf(node, path), sentence(['goss_rules', ...path], message)))
  }
  return found.length === 0 ? rules : undefined
}

function expandContent(node: TreeNode, expand: Expand): GossContent {
  if (node.kind === 'list') return node.items.map((item) => expandContent(item, expand))
  if (node.kind === 'map') {
    return Object.fromEntries(
      [...node.entries].map(([key, { keyOffset, value }]) => {
        const scalar: TreeScalar = { kind: 'scalar', offset: keyOffset, text: key, value: key }
        return [(hasTemplate(key) ? expand(scalar) : undefined) ?? key, expandContent(value, expand)]
      }),
    )
  }
  const { value, text } = node
  if (typeof value === 'string' && hasTemplate(text)) return expand(node) ?? text
  return typeof value === 'bigint' ? Number(value) : value
}
