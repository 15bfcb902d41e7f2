import type { MatchedText } from '../template/index.ts'
import type { DataMap, Layer } from './merge.ts'

/** A policy's own data: the base, and overrides that levels of the hierarchy choose. Templates expand when asked. */
export interface HierarchicalData {
  readonly base: () => DataMap
  /** The levels in the order they are written. */
  readonly order: readonly (() => MatchedText)[]
  /** `first` takes one override and lets it replace whole values; `deep` merges all that match, later levels over earlier. */
  readonly merge: 'first' | 'deep'
  /** The override of a level; absent if missing. */
  readonly override: (level: string) => DataMap | undefined
}

/**
 * The layers of a policy's data, as CCM resolves them: a level counts if it is plain text or one of its expressions gave
 * something, and if it has an override.
 */
export function resolveHierarchy({ base, order, merge, override }: HierarchicalData): readonly Layer[] {
  const layers: Layer[] = [{ origin: 'data', data: base(), merge: 'deep' }]
  for (const level of order) {
    const { text, matched } = level()
    // The base itself is no override, even if a level has its name.
    const data = matched && text !== 'data' ? override(text) : undefined
    if (data === undefined) continue
    layers.push({ origin: `overrides.${text}`, data, merge: merge === 'first' ? 'shallow' : 'deep' })
    if (merge === 'first') break
  }
  return layers
}
