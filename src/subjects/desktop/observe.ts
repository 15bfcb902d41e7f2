import { absent, known, type Observation, present, type Reading } from '../../model/observation.ts'
import type { HasFiles, Target } from '../../host/target.ts'
import type { DconfDatabase, DconfDesired } from './decide.ts'

type Machine = Pick<Target, 'probe'> & HasFiles<'stat'>

/** Observes every database with a keyfile directory. */
export function observeDconf(
  machine: Machine,
  { name }: Pick<DconfDesired, 'name'>,
): Observation<readonly DconfDatabase[]> {
  const names = machine.probe.list(name)
  if (names.kind === 'unknown') return names
  if (names.value === null) return absent()
  const found: DconfDatabase[] = []
  for (const each of names.value.filter((entry) => entry.endsWith('.d') && entry !== '.d')) {
    const database = readDatabase(machine, `${name}/${each.slice(0, -'.d'.length)}`)
    if (database.kind === 'unknown') return database
    found.push(database.value)
  }
  return present(found)
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
