import { known, type Reading } from '../model/observation.ts'
import type { Assignment } from './assignment.ts'
import { isEnabledUnit } from './service-unit.ts'
import type { ConfigFiles } from './surface.ts'
import { DIRECTORIES, namesIn, readSystemd, YES } from './systemd.ts'

type Files = Pick<ConfigFiles, 'names' | 'text' | 'real'>

const UNIT = 'systemd-networkd.service'
const NETWORK = 'systemd/network'

/** Files of systemd for interfaces that its containers and virtual machines bring along. */
const OF_SYSTEMD =
  /^\/usr\/lib\/systemd\/network\/80-(?:6rd-tunnel|container-(?:host0|vb|ve|vz)|vm-vt|wifi-adhoc)\.network$/

export interface Networkd {
  /** The lines of networkd.conf. @see networkd.conf(5) */
  readonly own: readonly Assignment[]
  /** The lines of each .network file by which it configures interfaces. @see systemd.network(5) */
  readonly networks: readonly (readonly Assignment[])[]
}

/** The lines that systemd-networkd reads, with drop-ins; none if it is not enabled. */
export function readNetworkd(files: Files): Reading<Networkd> {
  const enabled = isEnabledUnit(files, UNIT)
  if (enabled.kind === 'unknown') return enabled
  if (!enabled.value) return known({ own: [], networks: [] })
  const own = readSystemd(files, 'systemd/networkd.conf')
  if (own.kind === 'unknown') return own
  const names = namesIn(
    files,
    DIRECTORIES.map((directory) => `${directory}/${NETWORK}`),
  )
  if (names.kind === 'unknown') return names
  const networks: (readonly Assignment[])[] = []
  for (const name of names.value.filter((each) => each.endsWith('.network')).toSorted()) {
    const lines = readSystemd(files, `${NETWORK}/${name}`)
    if (lines.kind === 'unknown') return lines
    const isUnmanaged = YES.test(lastOf(lines.value, 'Link', 'Unmanaged')?.value ?? '')
    if (!isUnmanaged && !OF_SYSTEMD.test(lines.value[0]?.file ?? '')) networks.push(lines.value)
  }
  return known({ own: own.value, networks })
}

export function lastOf(lines: readonly Assignment[], section: string, key: string): Assignment | undefined {
  return lines.findLast((each) => each.section === section && each.key === key)
}
