import { known, type Reading } from '../../model/observation.ts'
import type { MachineReading } from '../../host/live/machine-reading.ts'
import type { Assignment } from '../../settings/assignment.ts'
import { unitFilesOf } from '../../settings/look.ts'
import { type Profile, readProfiles } from '../../settings/network-manager.ts'
import { lastOf } from '../../settings/networkd.ts'
import { ACCEPT_RA } from './networkd.ts'
import type { StoredAssignment } from './sysctl-conf.ts'

/** Connections without router advertisements: those of VPNs have no link, and WireGuard has no default method. */
const WITHOUT = ['vpn', 'wireguard', 'loopback']

/** Keys that make a connection a port, which has no addresses. */
const PORT = ['master', 'controller']

/**
 * NetworkManager handles router advertisements itself, also where the kernel rejects them, if the IPv6 method of a profile
 * is `auto`, as it is by default.
 * @see nm-settings-nmcli(5), ipv6.method
 */
export function readParametersOfNetworkManager(machine: MachineReading): Reading<readonly StoredAssignment[]> {
  const profiles = readProfiles(unitFilesOf(machine))
  return profiles.kind === 'unknown' ? profiles : known(profiles.value.flatMap(advertisementsOf))
}

function advertisementsOf({ file, lines }: Profile): readonly StoredAssignment[] {
  if (lines.kind === 'unknown') return [{ key: ACCEPT_RA, value: '', file, line: 1, doubt: lines.detail }]
  const said = lastOf(lines.value, 'ipv6', 'method')
  if ((said?.value ?? defaultOf(lines.value)) !== 'auto') return []
  const remedy = `set method=disabled, link-local or manual below [ipv6] in ${file}`
  return [{ key: ACCEPT_RA, value: '1', file: said?.file ?? file, line: said?.line ?? 1, remedy }]
}

function defaultOf(lines: readonly Assignment[]): string | undefined {
  const isPort = PORT.some((key) => (lastOf(lines, 'connection', key)?.value ?? '') !== '')
  return isPort || WITHOUT.includes(lastOf(lines, 'connection', 'type')?.value ?? '') ? undefined : 'auto'
}
