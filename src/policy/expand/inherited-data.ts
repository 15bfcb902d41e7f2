import type { Declaration, Origin } from '../../core/policy.ts'
import { fromPlain, type GoValue } from '../../template/govalue/index.ts'
import type { Evaluation } from './evaluation.ts'
import type { ForeignKeys, InheritedData } from './inputs.ts'

const NOTHING: ForeignKeys = new Map()

/**
 * What an apply resource lays over the data of its manifest: its own data, or all data of the policy. What the operator
 * gave is not part of it, because that lies over the data of every manifest anyway and its lists would be joined twice.
 * @see CCM's `resources/applyresource/ccmmanifest/ccmmanifest.go`
 */
export function inheritedData(
  own: Readonly<Record<string, unknown>> | undefined,
  { sensitive, origins }: Pick<Declaration, 'sensitive'> & { readonly origins: readonly Origin[] },
  evaluation: Evaluation | undefined,
): InheritedData {
  const { ownData = new Map(), secrets = [], secretPaths = [], foreign = NOTHING } = evaluation ?? {}
  if (own === undefined) return { data: ownData, secrets, secretPaths, foreign }
  const data = new Map(Object.entries(own).map(([key, value]): [GoValue, GoValue] => [key, fromPlain(value)]))
  const keys = Object.keys(own)
  return {
    data,
    secrets,
    secretPaths: sensitive ? keys.map((key) => [key]) : [],
    foreign: origins.length === 0 ? NOTHING : new Map(keys.map((key) => [key, origins])),
  }
}
