import { known, type Reading } from '../model/observation.ts'
import { parseAll } from './reading.ts'
import type { Assignment } from './assignment.ts'
import type { ConfigFiles } from './surface.ts'
import { DIRECTORIES as UNIT_DIRECTORIES, systemdFiles, systemdIni } from './systemd.ts'

const UNITS = 'systemd/system'

/** An effective line of a systemd unit. */
export type UnitLine = Pick<Assignment, 'key' | 'value' | 'file' | 'line'>

/**
 * The lines of a section of a service or socket with its drop-ins, including drop-ins of other names that are aliases;
 * undefined if there is no such unit.
 */
export function readUnit(
  files: ConfigFiles,
  name: string,
  { section, others = [] }: { readonly section: 'Service' | 'Socket'; readonly others?: readonly string[] },
): Reading<readonly UnitLine[] | undefined> {
  const aliases = others.filter((other) => other !== name && isSameUnit(files, name, other))
  const paths = systemdFiles(files, `${UNITS}/${name}`, [
    ...aliases.map((alias) => `${UNITS}/${alias}`),
    `${UNITS}/${section.toLowerCase()}`,
  ])
  if (paths.kind === 'unknown') return paths
  if (paths.value.length === 0) return known(undefined)
  const lines = parseAll(files, paths.value, systemdIni)
  if (lines.kind === 'unknown') return lines
  const own = lines.value.filter((line) => line.section === section)
  // An empty value resets earlier ones.
  return known(
    own.filter(
      ({ key, value }, index) =>
        value !== '' && !own.slice(index).some((later) => later.key === key && later.value === ''),
    ),
  )
}

/** Whether both names are links to the same file: an alias is a link, a copy is a separate unit. */
function isSameUnit(files: ConfigFiles, name: string, other: string): boolean {
  const [place, same] = [name, other].map((each) => placeOf(files, each))
  return place !== undefined && place === same
}

function placeOf(files: ConfigFiles, name: string): string | undefined {
  for (const directory of UNIT_DIRECTORIES) {
    const real = files.real(`${directory}/${UNITS}/${name}`)
    if (real.kind === 'known' && real.value !== null) return real.value
  }
  return undefined
}
