import type { GoValue } from '../../templates/govalue/index.ts'

/** A map of data as templates see it. */
export type DataMap = ReadonlyMap<GoValue, GoValue>

/**
 * Data from one place: the base of a policy, one of its overrides, a file or a flag. `deep` merges maps key by key and
 * joins lists, `shallow` replaces whole top-level values.
 */
export interface Layer {
  /** Where it comes from, in words for the operator. */
  readonly origin: string
  readonly data: DataMap
  readonly merge: 'deep' | 'shallow'
}

/** Lays layers over each other; later ones win. */
export function mergeLayers(layers: readonly Layer[]): DataMap {
  return layers.reduce<DataMap>(
    (below, { data, merge }) => (merge === 'deep' ? deepMerge(below, data) : new Map([...below, ...data])),
    new Map(),
  )
}

/** The same layers, each of these keys only in the last one that has it, so that its lists do not join. */
export function lastAlone(layers: readonly Layer[], keys: ReadonlySet<string>): readonly Layer[] {
  return layers.map((layer, index) => {
    const later = layers.slice(index + 1)
    const isReplaced = (key: GoValue): boolean =>
      typeof key === 'string' && keys.has(key) && later.some(({ data }) => data.has(key))
    const kept = [...layer.data].filter(([key]) => !isReplaced(key))
    return kept.length === layer.data.size ? layer : { ...layer, data: new Map(kept) }
  })
}

/** Maps merge key by key, lists are joined without removing doubles, everything else is replaced. */
export function deepMerge(below: DataMap, above: DataMap): DataMap {
  const merged = new Map(below)
  for (const [key, value] of above) merged.set(key, mergeValues(merged.get(key), value))
  return merged
}

function mergeValues(below: GoValue | undefined, above: GoValue): GoValue {
  if (below instanceof Map && above instanceof Map) return deepMerge(below, above)
  if (Array.isArray(below) && Array.isArray(above)) return [...below, ...above]
  return above
}

/** One value of merged data with the layers that took part in it, the deciding one last. */
export interface TracedValue {
  readonly path: readonly string[]
  readonly value: GoValue
  readonly origins: readonly string[]
}

/** Every value of the merged data that is no map (and every empty map), with where it came from. */
export function traceValues(layers: readonly Layer[]): readonly TracedValue[] {
  const traced: TracedValue[] = []
  const walk = (value: GoValue, path: readonly string[]): void => {
    if (value instanceof Map && value.size > 0) {
      for (const [key, inner] of value) walk(inner, [...path, String(key)])
    } else if (path.length > 0) {
      traced.push({ path, value, origins: layersOf(path, value, layers).map(({ origin }) => origin) })
    }
  }
  walk(mergeLayers(layers), [])
  return traced
}

/**
 * The layers that took part in a value of the merged data, the deciding one last: a list is made of every layer from the
 * last one that replaced it; anything else comes from the last that set it.
 */
export function layersOf(path: readonly string[], value: GoValue, layers: readonly Layer[]): readonly Layer[] {
  const found: Layer[] = []
  for (const layer of layers.toReversed()) {
    const { data, merge } = layer
    const own = valueAt(data, path)
    if (own !== undefined) found.unshift(layer)
    const isContinued = merge === 'deep' && (own === undefined || isJoined(own, value))
    const isReplaced = merge === 'shallow' && data.has(path[0] ?? '')
    if (isReplaced || (own !== undefined && !isContinued)) break
  }
  return found
}

/** Whether a value of a layer is a part of the merged one, not all of it. */
function isJoined(own: GoValue, value: GoValue): boolean {
  return (Array.isArray(own) && Array.isArray(value)) || (own instanceof Map && value instanceof Map && value.size > 0)
}

/** The value at a path of keys, or undefined if absent. */
export function valueAt(data: DataMap, path: readonly string[]): GoValue | undefined {
  let value: GoValue | undefined = data
  for (const key of path) value = value instanceof Map ? value.get(key) : undefined
  return value
}
