import { known, type Reading } from '../../model/observation.ts'
import { parseAll } from '../../settings/reading.ts'
import type { Assignment } from '../../settings/assignment.ts'
import type { ConfigFiles } from '../../settings/surface.ts'
import { systemdFiles, systemdIni } from '../../settings/systemd.ts'

/** A line of a unit of systemd that counts. */
export type UnitLine = Pick<Assignment, 'key' | 'value' | 'file' | 'line'>

/** The lines of the section Service of a unit with its drop-ins; undefined where there is no such unit. */
export function readUnit(files: ConfigFiles, name: string): Reading<readonly UnitLine[] | undefined> {
  const paths = systemdFiles(files, `systemd/system/${name}`)
  if (paths.kind === 'unknown') return paths
  if (paths.value.length === 0) return known(undefined)
  const lines = parseAll(files, paths.value, systemdIni)
  if (lines.kind === 'unknown') return lines
  const service = lines.value.filter(({ section }) => section === 'Service')
  // An empty value takes away those before it.
  return known(
    service.filter(
      ({ key, value }, index) =>
        value !== '' && !service.slice(index).some((later) => later.key === key && later.value === ''),
    ),
  )
}
