import type { Reading, Unknown } from '../../model/observation.ts'
import { addBrand } from '../../resource-type/brand.ts'
import { fromPlain } from '../../templates/govalue/index.ts'
import { group, type FactFamily, type FactSources, type GatheredMap } from './family.ts'

/** The value of a plugin's fact. */
export type FactValue =
  string | number | bigint | boolean | null | readonly FactValue[] | { readonly [name: string]: FactValue }

/** Facts of a plugin, as driftgate gathers them. */
export interface PluginFacts extends Pick<FactFamily, 'name' | 'summary'> {
  /** Gathers the facts; unknown if they could not be read. */
  readonly gather: (sources: FactSources) => GatheredMap | Unknown
}

/** The definition of facts. */
export interface FactsDefinition {
  /** The key below `facts`: lowercase first letter, then letters, digits and `_`. */
  readonly name: string
  readonly summary: string
  /** Reads the facts, on a running machine and below a root. Called only if a policy reads them. */
  readonly gather: (target: FactSources) => Reading<{ readonly [name: string]: FactValue }>
}

/** Defines facts that policies read as `facts.NAME`. Throws an `Error` for a name that templates cannot use. */
export function defineFacts({ name, summary, gather }: FactsDefinition): PluginFacts {
  if (!/^[a-z]\w*$/.test(name))
    throw new Error(`facts ${JSON.stringify(name)}: the name must consist of a-z, 0-9 and _`)
  const facts: PluginFacts = {
    name,
    summary,
    gather(sources) {
      const read = attempt(() => gather(sources))
      if (read.kind === 'unknown') return read
      return group(Object.fromEntries(Object.entries(read.value).map(([key, value]) => [key, fromPlain(value)])))
    },
  }
  return addBrand(facts, 'facts')
}

/** An exception in plugin code makes the facts unknown. */
function attempt<T>(read: () => Reading<T>): Reading<T> {
  try {
    return read()
  } catch (error) {
    return { kind: 'unknown', reason: 'internal', detail: error instanceof Error ? error.message : String(error) }
  }
}
