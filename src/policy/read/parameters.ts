import type { Problem } from '../../model/problem.ts'
import { didYouMean } from '../../model/suggest.ts'
import { formatGoValue, type GoValue } from '../../templates/govalue/index.ts'
import { errorAt, type SourceText } from '../document/lines.ts'
import { entriesOf, member, textOf, textsOf, type TreeNode } from '../document/tree.ts'
import type { DataMap, Layer } from '../data/merge.ts'

/** A key of data that a policy declares in `policy.parameters`. */
export interface Parameter {
  readonly name: string
  readonly meaning: string
  /** The accepted values; undefined if any value of the kind of the default is accepted. */
  readonly oneOf: readonly string[] | undefined
  readonly offset: number
}

/** The parameters of a policy; undefined if it declares none, so that any key of data is accepted. */
export function parametersOf(root: TreeNode): readonly Parameter[] | undefined {
  const declared = member(member(root, 'policy'), 'parameters')
  if (declared?.kind !== 'map') return undefined
  return [...declared.entries].map(([name, { keyOffset, value }]) => {
    const choices = member(value, 'one_of')
    return {
      name,
      meaning: textOf(member(value, 'meaning')) ?? '',
      oneOf: choices && textsOf(choices).map(({ text }) => text),
      offset: keyOffset,
    }
  })
}

/** Checks the final data: each value is one of the choices, and of the kind of the policy's own value. */
export function parameterProblems(
  source: SourceText,
  parameters: readonly Parameter[],
  { data, ownData }: { readonly data: DataMap; readonly ownData: DataMap },
): readonly Problem[] {
  return parameters.flatMap(({ name, oneOf, offset }) => {
    const value = data.get(name) ?? null
    const message = problemOf(value, { oneOf, own: ownData.get(name) ?? null })
    return value === null || message === undefined ? [] : [errorAt(source, offset, `data.${name} ${message}`)]
  })
}

function problemOf(
  value: GoValue,
  { oneOf, own }: Pick<Parameter, 'oneOf'> & { readonly own: GoValue },
): string | undefined {
  if (oneOf !== undefined) {
    const items = Array.isArray(value) ? (value as readonly GoValue[]) : [value]
    const stray = items.map((item) => formatGoValue(item)).find((text) => !oneOf.includes(text))
    return stray === undefined
      ? undefined
      : `must be one of ${oneOf.join(', ')}, found "${stray}"${didYouMean(stray, oneOf)}`
  }
  const [kind, wanted] = [kindOf(value), kindOf(own)]
  const fits = own === null || kind === wanted || (wanted === 'text' && kind === 'number')
  return fits ? undefined : `must be a ${wanted}, found a ${kind}`
}

function kindOf(value: GoValue): 'list' | 'map' | 'boolean' | 'number' | 'text' {
  if (Array.isArray(value)) return 'list'
  if (value instanceof Map) return 'map'
  if (typeof value === 'boolean') return 'boolean'
  const isNumber = typeof value === 'bigint' || typeof value === 'number' || /^-?\d+$/.test(formatGoValue(value))
  return isNumber ? 'number' : 'text'
}

/** Keys of the operator's data that no policy declares, if all of these policies declare parameters. */
export function unknownKeys(roots: readonly TreeNode[], layers: readonly Layer[]): readonly Problem[] {
  const known = new Set<string>()
  for (const root of roots) {
    const parameters = parametersOf(root)
    if (parameters === undefined) return []
    const overrides = [...entriesOf(member(root, 'overrides')).values()].map(({ value }) => value)
    for (const { name } of parameters) known.add(name)
    for (const map of [member(root, 'data'), ...overrides]) for (const name of entriesOf(map).keys()) known.add(name)
  }
  return layers.flatMap(({ origin, data }) =>
    [...data.keys()]
      .map((key) => formatGoValue(key))
      .filter((key) => !known.has(key))
      .map((key): Problem => ({
        message: `${origin}: no policy has a parameter "${key}"${didYouMean(key, known)}`,
        severity: 'error',
      })),
  )
}
