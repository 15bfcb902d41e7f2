import type { HasFiles, Target } from '../../host/target.ts'
import { absent, known, type Observation, present, type Reading, readEach } from '../../model/observation.ts'
import { defineProperties, defineResource, type ResourceType } from '../../resource-type/define.ts'
import { runChange } from '../shared/run-change.ts'
import { type DconfAction, decideDconf, type DconfDatabase, type DconfDesired } from './decide.ts'

const properties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    absolutePath: true,
    summary:
      'The directory of the databases, `/etc/dconf/db`. Each database with a directory of keyfiles (`local.d` for `local`) must be at least as new as the last change in that directory, locks included.',
  },
  if_absent: {
    kind: 'text',
    oneOf: ['drift', 'compliant'],
    default: 'drift',
    parameter: true,
    summary: 'Verdict if the directory does not exist.',
  },
})

export const dconfDatabases: ResourceType = defineResource({
  type: 'dconf_databases',
  summary:
    'dconf databases: whether they are compiled from the current keyfiles, because programs read only the databases.',
  properties,
  drifts: ['ensure', 'compiled'],
  neverSecret: ['ensure', 'compiled'],
  examples: [
    {
      title: 'Keyfiles take effect',
      yaml: `
        dconf_databases:
          - /etc/dconf/db:
              if_absent: compliant`,
    },
  ],
  platforms: ['linux'],
  observe: observeDconf,
  decide: decideDconf,
  apply: (remediator, _wanted, { directory }: DconfAction, { signal }) =>
    runChange(remediator, ['dconf', 'update', directory], signal, {
      undo: { kind: 'files', paths: [directory] },
    }),
})

type Machine = Pick<Target, 'probe'> & HasFiles<'stat'>

/** Observes every database with a keyfile directory. */
function observeDconf(machine: Machine, { name }: Pick<DconfDesired, 'name'>): Observation<readonly DconfDatabase[]> {
  const names = machine.probe.list(name)
  if (names.kind === 'unknown') return names
  if (names.value === null) return absent()
  const directories = names.value.filter((each) => each.endsWith('.d') && each !== '.d')
  const found = readEach(directories, (each) => readDatabase(machine, `${name}/${each.slice(0, -'.d'.length)}`))
  return found.kind === 'unknown' ? found : present(found.value)
}

function readDatabase({ probe, files: { stat } }: Machine, path: string): Reading<DconfDatabase> {
  const compiled = stat(path)
  if (compiled.kind === 'unknown') return compiled
  const sources: string[] = []
  for (const directory of [`${path}.d`, `${path}.d/locks`]) {
    const names = probe.list(directory)
    if (names.kind === 'unknown') return names
    if (names.value !== null) sources.push(directory, ...names.value.map((name) => `${directory}/${name}`))
  }
  let newest = { path: `${path}.d`, changedMs: 0 }
  for (const source of sources) {
    const seen = stat(source)
    if (seen.kind === 'unknown') return seen
    // Copying can preserve the modification time; the kernel sets the change time.
    const changedMs = seen.kind === 'absent' ? 0 : seen.state.changedMs
    if (changedMs > newest.changedMs) newest = { path: source, changedMs }
  }
  return known({ path, compiledMs: compiled.kind === 'absent' ? null : compiled.state.modifiedMs, newest })
}
