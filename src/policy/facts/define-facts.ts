import type { Reading, Unknown } from '../../model/observation.ts'
import { branded } from '../../resource-type/brand.ts'
import { fromPlain } from '../../templates/govalue/index.ts'
import { group, type FactFamily, type FactSources, type GatheredMap } from './family.ts'

/** A fact as a plugin gives it. */
export type FactValue =
  string | number | bigint | boolean | null | readonly FactValue[] | { readonly [name: string]: FactValue }

/** Facts that a plugin adds, as `driftgate` gathers them. */
export interface PluginFacts extends Pick<FactFamily, 'name' | 'summary'> {
  readonly gather: (sources: FactSources) => GatheredMap | Unknown
}

/** What makes facts. */
export interface FactsDefinition {
  /** The key below `facts`, a word of letters, digits and `_`. */
  readonly name: string
  readonly summary: string
  /** Reads them, of a machine that runs and below a root alike. Only called where a policy reads them. */
  readonly gather: (target: FactSources) => Reading<{ readonly [name: string]: FactValue }>
}

/** Defines facts that policies read as `facts.NAME`. Throws an `Error` for a name that templates cannot read so. */
export function defineFacts({ name, summary, gather }: FactsDefinition): PluginFacts {
  if (!/^[a-z]\w*$/.test(name)) throw new Error(`facts ${JSON.stringify(name)}: the name is a word of a-z, 0-9 and _`)
  const facts: PluginFacts = {
    name,
    summary,
    gather(sources) {
      const read = attempt(() => gather(sources))
      if (read.kind === 'unknown') return read
      return group(Object.fromEntries(Object.entries(read.value).map(([key, value]) => [key, fromPlain(value)])))
    },
  }
  return branded(facts, 'facts')
}

/** Code of a plugin that throws has not read them. */
function attempt<T>(read: () => Reading<T>): Reading<T> {
  try {
    return read()
  } catch (error) {
    return { kind: 'unknown', reason: 'internal', detail: error instanceof Error ? error.message : String(error) }
  }
}
