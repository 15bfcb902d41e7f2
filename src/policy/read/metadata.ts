import type { Control } from '../../model/policy.ts'
import { DEFAULT_SEVERITY, SEVERITIES } from '../../model/verdict.ts'
import { errorAt, positionAt } from '../document/lines.ts'
import { resolve, type Resolver } from './references.ts'
import { entriesOf, itemsOf, member, textOf, textsOf, type TreeNode } from '../document/tree.ts'

/** Reads the controls of a policy's metadata and resolves their resources. */
export function readControls(resolver: Resolver, list: TreeNode | undefined): Control[] {
  const places = new Map<string, number>()
  return itemsOf(list).flatMap((node) => {
    const idNode = member(node, 'id')
    const id = textOf(idNode)
    if (idNode === undefined || id === undefined) return []
    const earlier = places.get(id)
    if (earlier === undefined) places.set(id, idNode.offset)
    else {
      const { line } = positionAt(resolver.source, earlier)
      const message = `control "${id}" is already defined on line ${line}`
      resolver.problems.push(errorAt(resolver.source, idNode.offset, message))
    }
    return [readControl(resolver, id, node)]
  })
}

function readControl(resolver: Resolver, id: string, node: TreeNode): Control {
  const references = textsOf(member(node, 'resources'))
  const manual = member(node, 'manual')
  const isManual = manual?.kind === 'scalar' && manual.value === true
  if (references.length === 0 && !isManual) {
    const message = `control "${id}" has no resources, so nothing would be checked: add some, or set manual: true`
    const at = member(node, 'resources') ?? member(node, 'id') ?? node
    resolver.problems.push(errorAt(resolver.source, at.offset, message))
  }
  const resources = references.flatMap((reference) => {
    const at = resolve(resolver, reference)
    return at === undefined ? [] : [resolver.ids[at] ?? '']
  })
  return {
    id,
    ...texts(node, ['title', 'description', 'remediation']),
    severity: SEVERITIES.find((severity) => severity === textOf(member(node, 'severity'))) ?? DEFAULT_SEVERITY,
    references: Object.fromEntries(
      [...entriesOf(member(node, 'references'))].map(([name, { value }]) => [
        name,
        textsOf(value).map(({ text }) => text),
      ]),
    ),
    tags: textsOf(member(node, 'tags')).map(({ text }) => text),
    ...(isManual ? { manual: true } : {}),
    resources: [...new Set(resources)],
  }
}

/** The text members of a map, by name. */
export function texts<Key extends string>(
  node: TreeNode | undefined,
  keys: readonly Key[],
): { readonly [K in Key]?: string } {
  const found: { [K in Key]?: string } = {}
  for (const key of keys) {
    const text = textOf(member(node, key))
    if (text !== undefined) found[key] = text
  }
  return found
}
