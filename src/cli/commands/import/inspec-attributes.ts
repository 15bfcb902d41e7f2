import type { Problem } from '../../../model/problem.ts'
import { errorAt, type SourceText } from '../../../policy/document/lines.ts'
import { itemsOf, member, toPlainValue, textOf, type TreeNode } from '../../../policy/document/tree.ts'
import type { Imported } from './inspec-waivers.ts'

/**
 * Converts InSpec inputs to data: a map from names to values, as for `--input-file`, or the list of a profile under
 * `inputs` or `attributes`, with its values or else defaults.
 */
export function importAttributes(source: SourceText, root: TreeNode): Imported {
  if (root.kind !== 'map')
    return { value: undefined, problems: [errorAt(source, root.offset, 'InSpec inputs must be a map')] }
  const list = member(root, 'inputs') ?? member(root, 'attributes')
  if (list?.kind !== 'list') return { value: toPlainValue(root), problems: [] }
  const problems: Problem[] = []
  const data: Record<string, unknown> = {}
  for (const item of itemsOf(list)) {
    const name = textOf(member(item, 'name'))
    const value = member(item, 'value') ?? member(item, 'default')
    const say = (message: string, severity: 'error' | 'warning'): void =>
      void problems.push({ ...errorAt(source, item.offset, `${name ?? 'an input'}: ${message}`), severity })
    if (name === undefined) say('missing name', 'error')
    else if (value === undefined) say('omitted, because it has no value', 'warning')
    else data[name] = toPlainValue(value)
    for (const word of ['required', 'pattern', 'min', 'max', 'sensitive']) {
      if (member(item, word) !== undefined) say(`${word} is not converted`, 'warning')
    }
  }
  return { value: problems.some(({ severity }) => severity === 'error') ? undefined : data, problems }
}
