import type { Target } from '../../host/target.ts'
import type { GoValue } from '../../templates/govalue/index.ts'
import { type MapShape, mapShape, type UnreadValue } from '../template/index.ts'
import type { PluginFacts } from './define-facts.ts'
import { factFamilies } from './families.ts'
import { type FactMap, type Gathered, type GatheredMap, group } from './family.ts'

export type DesiredFamilies = ReadonlySet<string> | 'all'

export interface GatheredFacts {
  readonly facts: FactMap
  readonly unread: readonly UnreadValue[]
}

/** The shape of the facts of every machine. */
export const FACT_SHAPE: MapShape = mapShape(Object.fromEntries(factFamilies.map(({ name, shape }) => [name, shape])))

/** Gathers the system's facts, each family once. Unused families are not read. */
export function gatherSystemFacts(
  target: Target,
  wanted: DesiredFamilies,
  more: readonly PluginFacts[] = [],
): GatheredFacts {
  const families = [...factFamilies, ...more].filter(({ name }) => wanted === 'all' || wanted.has(name))
  const unread: UnreadValue[] = []
  const sources = { probe: target.probe, system: target.system }
  const gathered = group(Object.fromEntries(families.map(({ name, gather }) => [name, gather(sources)])))
  return { facts: settleFacts(gathered, [], unread), unread }
}

/** Extracts the facts of a group; unreadable ones are added to `unread`. */
function settleFacts({ members }: GatheredMap, path: readonly string[], unread: UnreadValue[]): FactMap {
  const entries = Object.entries(members).flatMap(([name, value]): [string, GoValue][] => {
    const own = [...path, name]
    if (isGroup(value)) return [[name, settleFacts(value, own, unread)]]
    if (!isUnknown(value)) return [[name, value]]
    const detail = `the fact "${own.join('.')}" could not be read: ${value.detail}`
    unread.push({ path: own, detail, ...(value.needs !== undefined && { needs: value.needs }) })
    return []
  })
  return new Map(entries)
}

function isGroup(value: Gathered): value is GatheredMap {
  return isTagged(value) && value.kind === 'facts'
}

function isUnknown(value: Gathered): value is Extract<Gathered, { readonly kind: 'unknown' }> {
  return isTagged(value) && value.kind === 'unknown'
}

function isTagged(value: Gathered): value is Extract<Gathered, { readonly kind: string }> {
  return typeof value === 'object' && value !== null && 'kind' in value
}
