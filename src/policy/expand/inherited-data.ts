import type { Declaration, Origin } from '../../core/policy.ts'
import type { DataMap } from '../../data/merge.ts'
import { fromPlain, type GoValue } from '../../template/govalue/index.ts'
import type { Evaluation } from './evaluation.ts'

/** Data that a child manifest gets from the policy that applies it. */
export interface InheritedData {
  readonly data: DataMap
  /** Texts that must never be shown. */
  readonly secrets: readonly string[]
  /** The keys that lead to what is secret. */
  readonly secretPaths: readonly (readonly string[])[]
  /** The keys of what comes from files or the environment. */
  readonly foreign: ForeignKeys
}

/** Where the values of some keys come from. */
export type ForeignKeys = ReadonlyMap<string, readonly Origin[]>

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
