import { readUnlessAbsent } from '../if-there.ts'
import { known, type Reading, readEach, mapReading } from '../../model/observation.ts'
import type { MachineFiles } from '../live/machine-files.ts'
import { provesAbsence, unreadable } from '../live/system-error.ts'
import { resolvePath } from './find-unit.ts'
import type { UnitDirectory } from './unit-directories.ts'

const LARGEST_UNIT_BYTES = 16 * 1024 * 1024

/** A unit file or a drop-in, by its path on the target. */
export interface UnitText {
  readonly path: string
  readonly text: string
}

/** A unit file with the names of its drop-in directories in groups, from `findUnit`. */
interface UnitFileFound {
  readonly path: string
  readonly dropInsOf: readonly (readonly string[])[]
  readonly isLinked: boolean
}

/** The unit file and its drop-ins, in the order of application. */
export function readUnitTexts(
  files: MachineFiles,
  directories: readonly UnitDirectory[],
  { path, dropInsOf, isLinked }: UnitFileFound,
): Reading<readonly UnitText[]> {
  const dropIns = readDropIns(files, directories, dropInsOf)
  if (dropIns.kind === 'unknown') return dropIns
  const own = readText(files, path)
  if (own.kind === 'unknown') return own
  return known(isLinked ? [...dropIns.value, own.value] : [own.value, ...dropIns.value])
}

/** The drop-ins of a unit, applied in the order of their names. Of equal names, the first one takes precedence. */
export function readDropIns(
  files: MachineFiles,
  directories: readonly UnitDirectory[],
  units: UnitFileFound['dropInsOf'],
): Reading<readonly UnitText[]> {
  const paths = findDropIns(files, directories, units)
  return paths.kind === 'unknown' ? paths : readEach(paths.value, (path) => readText(files, path))
}

/** Of equal names, the first one takes precedence; drop-ins apply in the order of their names. */
function findDropIns(
  files: MachineFiles,
  directories: readonly UnitDirectory[],
  units: UnitFileFound['dropInsOf'],
): Reading<readonly string[]> {
  const found = new Map<string, string>()
  const places = units.flatMap((group) =>
    directories.flatMap(({ path, names }) =>
      group.flatMap((unit) => (names.has(`${unit}.d`) ? [`${path}/${unit}.d`] : [])),
    ),
  )
  for (const path of places) {
    const names = namesIn(files, path)
    if (names.kind === 'unknown') return names
    const added = names.value.filter((name) => /^[^.].*\.conf$/s.test(name) && !found.has(name))
    for (const name of added) found.set(name, `${path}/${name}`)
  }
  return known([...found].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, path]) => path))
}

function namesIn(files: MachineFiles, path: string): Reading<readonly string[]> {
  return mapReading(
    readUnlessAbsent(path, () => files.names(path)),
    (names) => names ?? [],
  )
}

/** A link to /dev/null, or a dangling one, disables a drop-in. */
function readText(files: MachineFiles, path: string): Reading<UnitText> {
  const resolved = resolvePath(files, path, 'last-too')
  if (resolved === undefined || resolved === '/dev/null') return known({ path, text: '' })
  try {
    return known({ path, text: files.whole(resolved, LARGEST_UNIT_BYTES).toString('utf8') })
  } catch (error) {
    return provesAbsence(error) ? known({ path, text: '' }) : unreadable(error, path)
  }
}
