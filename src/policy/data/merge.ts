import type { GoValue } from '../../templates/govalue/index.ts'

/** A map of data, as seen by templates. */
export type DataMap = ReadonlyMap<GoValue, GoValue>

/**
 * Data of one origin: the base of a policy, an override, a file or an option. `deep` merges maps key by key and appends
 * lists, `shallow` replaces whole top-level values.
 */
export interface Layer {
  /** Description of the origin for the operator. */
  readonly origin: string
  readonly data: DataMap
  readonly merge: 'deep' | 'shallow'
}

/** Merges layers; later ones take precedence. */
export function mergeLayers(layers: readonly Layer[]): DataMap {
  return layers.reduce<DataMap>(
    (below, { data, merge }) => (merge === 'deep' ? deepMerge(below, data) : new Map([...below, ...data])),
    new Map(),
  )
}

/** Removes each of these keys from all layers but the last that has it, so that its lists are not appended. */
export function lastAlone(layers: readonly Layer[], keys: ReadonlySet<string>): readonly Layer[] {
  return layers.map((layer, index) => {
    const later = layers.slice(index + 1)
    const isReplaced = (key: GoValue): boolean =>
      typeof key === 'string' && keys.has(key) && later.some(({ data }) => data.has(key))
    const kept = [...layer.data].filter(([key]) => !isReplaced(key))
    return kept.length === layer.data.size ? layer : { ...layer, data: new Map(kept) }
  })
}

/** Merges maps key by key, appends lists without removing duplicates, and replaces all other values. */
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

/** A value of merged data with the origins that contributed to it, the decisive one last. */
export interface TracedValue {
  readonly path: readonly string[]
  readonly value: GoValue
  readonly origins: readonly string[]
}

/** Every value of merged data except non-empty maps, with its origins. */
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
 * The layers that contributed to a value of merged data, the decisive one last: for a list, every layer since the last
 * one that replaced it; otherwise the last one that set it.
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

/** Whether the value of a layer is only a part of the merged one. */
function isJoined(own: GoValue, value: GoValue): boolean {
  return (Array.isArray(own) && Array.isArray(value)) || (own instanceof Map && value instanceof Map && value.size > 0)
}

/** The value at a path of keys; undefined if missing. */
export function valueAt(data: DataMap, path: readonly string[]): GoValue | undefined {
  let value: GoValue | undefined = data
  for (const key of path) value = value instanceof Map ? value.get(key) : undefined
  return value
}
