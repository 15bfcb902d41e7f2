import type { ExportsOf } from '../../core/exported.ts'
import type { Observation, Unknown } from '../../core/observation.ts'
import { defineExports } from '../../resource-type/define.ts'
import type { ScaffoldProperties } from './properties.ts'
import { type ScaffoldContext, type ScaffoldState, statusOf } from './state.ts'

const PATH = { kind: 'text', summary: 'An absolute path.' } as const

/** What later resources can read of a scaffold. */
export const scaffoldExports = defineExports({
  path: { kind: 'text', summary: 'The directory it is rendered to.' },
  exists: { kind: 'boolean', summary: 'Whether that directory exists.' },
  stable: {
    kind: 'list',
    items: PATH,
    summary: 'The rendered files that are as they should be; with `ensure: absent`, those that are still there.',
  },
  changed: { kind: 'list', items: PATH, summary: 'The rendered files that are missing or differ.' },
  purged: {
    kind: 'list',
    items: PATH,
    summary: 'The files that do not belong to it, which are looked for with `purge` alone.',
  },
})

/** The values of a scaffold as it was seen. */
export function exportsOfScaffold(
  { name }: ScaffoldProperties,
  observed: Exclude<Observation<ScaffoldState, ScaffoldContext>, Unknown>,
): ExportsOf<typeof scaffoldExports> {
  if (observed.kind === 'absent' || observed.state.kind === 'other') return { path: name, exists: false }
  const { leftovers, unexpected } = observed.state
  const { stable, changed, purged } = statusOf(name, observed.state)
  return {
    path: name,
    exists: true,
    stable: leftovers.kind === 'known' ? stable : undefined,
    changed,
    purged: unexpected.kind === 'known' ? purged : undefined,
  }
}
