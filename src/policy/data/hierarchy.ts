import type { MatchedText } from '../template/index.ts'
import type { DataMap, Layer } from './merge.ts'

/** The data of a policy: the base, and overrides selected by the levels of the hierarchy. Templates expand on demand. */
export interface HierarchicalData {
  readonly base: () => DataMap
  /** The levels, in order. */
  readonly order: readonly (() => MatchedText)[]
  /** `first` applies one override, which replaces whole values; `deep` merges all matching ones, later levels over earlier. */
  readonly merge: 'first' | 'deep'
  /** The override of a level; undefined if missing. */
  readonly override: (level: string) => DataMap | undefined
}

/**
 * The layers of a policy's data, resolved as in CCM: a level applies if it has an override and is either plain text or
 * has an expression with a result.
 */
export function resolveHierarchy({ base, order, merge, override }: HierarchicalData): readonly Layer[] {
  const layers: Layer[] = [{ origin: 'data', data: base(), merge: 'deep' }]
  for (const level of order) {
    const { text, matched } = level()
    // The base is not an override, even if a level has its name.
    const data = matched && text !== 'data' ? override(text) : undefined
    if (data === undefined) continue
    layers.push({ origin: `overrides.${text}`, data, merge: merge === 'first' ? 'shallow' : 'deep' })
    if (merge === 'first') break
  }
  return layers
}
