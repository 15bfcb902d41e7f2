import type { Target } from '../target/target.ts'
import { factFamilies } from './families.ts'
import type { FactMap } from './family.ts'

/** Which families to gather: those named, or every one. */
export type WantedFamilies = ReadonlySet<string> | 'all'

/** Gathers the system's facts, each family once. A family nobody wants is not even looked at. */
export function gatherSystemFacts(target: Target, wanted: WantedFamilies): FactMap {
  const families = factFamilies.filter(({ name }) => wanted === 'all' || wanted.has(name))
  return new Map(families.map(({ name, gather }) => [name, gather({ probe: target.probe, system: target.system })]))
}
