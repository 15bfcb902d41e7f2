import { type FactFamilies, factsOfSource, factsOfString, unionOfFacts } from '../../template/index.ts'
import { member, type TreeNode } from '../../document/tree.ts'

/** The facts that the templates and conditions of a policy may read, so that no other need be gathered. */
export function factsMentioned(root: TreeNode): FactFamilies {
  // What a template in another file reads cannot be told from the policy.
  if (member(member(root, 'ccm'), 'resources_jet_file') !== undefined) return 'all'
  const found: FactFamilies[] = []
  const walk = (node: TreeNode, isCondition: boolean): void => {
    if (node.kind === 'map') {
      for (const [key, { value }] of node.entries) walk(value, key === 'if' || key === 'unless')
    } else if (node.kind === 'list') {
      for (const item of node.items) walk(item, false)
    } else if (mayReadFacts(node.text)) {
      found.push(factsOfString(node.text), ...(isCondition ? [factsOfSource(node.text)] : []))
    }
  }
  walk(root, false)
  return unionOfFacts(found)
}

/** A cheap test that spares most texts the parser: facts are reached by name, by `$env`, or through another template. */
function mayReadFacts(text: string): boolean {
  return /facts|\$env|lookup|template|jet/i.test(text)
}
