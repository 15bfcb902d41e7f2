import type { GoValue } from '../../../templates/govalue/index.ts'
import { parametersOf } from '../../../policy/read/parameters.ts'
import { textOfNode } from '../../../policy/catalogue/nodes.ts'
import type { PolicyDocument } from '../../../policy/read/policy.ts'

/**
 * The parameters of a policy that its resources read, by name: meaning, accepted values, the value, the default where
 * that differs, and the controls that read it.
 */
export function describeParameters({ root, policy, written, evaluation }: PolicyDocument): GoValue {
  const texts = new Map(
    [...written].map(([id, { body }]) => [id, [...body.values()].map(({ value }) => textOfNode(value)).join('\n')]),
  )
  const described = new Map<GoValue, GoValue>()
  for (const { name, meaning, oneOf } of parametersOf(root) ?? []) {
    const pattern = new RegExp(String.raw`\bdata\.${name}\b`, 'i')
    const readers = new Set([...texts].flatMap(([id, text]) => (pattern.test(text) ? [id] : [])))
    if (readers.size === 0) continue
    const value = evaluation?.data.get(name) ?? null
    const own = evaluation?.ownData.get(name) ?? null
    const controls = policy.controls.filter(({ resources }) => resources.some((id) => readers.has(id)))
    described.set(
      name,
      new Map<GoValue, GoValue>([
        ['meaning', meaning],
        ...(oneOf === undefined ? [] : [['one_of', oneOf] as const]),
        ['value', value],
        ...(value === own ? [] : [['default', own] as const]),
        ['controls', controls.map(({ id }) => id)],
      ]),
    )
  }
  return described
}
