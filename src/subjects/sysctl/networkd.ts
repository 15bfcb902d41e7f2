import { known, type Reading } from '../../model/observation.ts'
import type { MachineReading } from '../../host/live/machine-reading.ts'
import type { Assignment } from '../../settings/assignment.ts'
import { lastOf, readNetworkd } from '../../settings/networkd.ts'
import { unitFilesOf } from '../../settings/look.ts'
import { NO, YES } from '../../settings/systemd.ts'
import type { StoredAssignment } from './sysctl-conf.ts'

const IPV4 = ['net/ipv4/ip_forward', 'net/ipv4/conf/all/forwarding']
const IPV6 = ['net/ipv6/conf/all/forwarding']
export const ACCEPT_RA = 'net/ipv6/conf/*/accept_ra'

/** The parameters that a key of `[Network]` sets to 1, by its value. Any other value leaves them alone. */
const KEYS: Readonly<Record<string, (value: string) => readonly string[]>> = {
  IPForward: (value) => familiesOf(value),
  IPMasquerade: (value) => (YES.test(value) ? IPV4 : familiesOf(value)),
  IPv4Forwarding: (value) => (YES.test(value) ? ['net/ipv4/conf/*/forwarding'] : []),
  IPv6Forwarding: (value) => (YES.test(value) ? ['net/ipv6/conf/*/forwarding'] : []),
}

function familiesOf(value: string): readonly string[] {
  if (YES.test(value) || value === 'both') return [...IPV4, ...IPV6]
  return value === 'ipv4' ? IPV4 : value === 'ipv6' ? IPV6 : []
}

/**
 * The parameters that systemd-networkd overrides when it configures interfaces, after sysctl.d was applied: forwarding, and
 * router advertisements, which it handles itself; nothing where it is not enabled.
 * @see systemd.network(5), IPForward= and IPv6AcceptRA=
 */
export function readParametersOfNetworkd(machine: MachineReading): Reading<readonly StoredAssignment[]> {
  const networkd = readNetworkd(unitFilesOf(machine))
  if (networkd.kind === 'unknown') return networkd
  const { own, networks } = networkd.value
  return known([...ofAllInterfaces(own), ...networks.flatMap(enabledBy)])
}

/** Since release 256. @see networkd.conf(5), IPv4Forwarding= */
function ofAllInterfaces(lines: readonly Assignment[]): readonly StoredAssignment[] {
  return [
    { assignment: lastOf(lines, 'Network', 'IPv4Forwarding'), keys: [...IPV4, 'net/ipv4/conf/default/forwarding'] },
    { assignment: lastOf(lines, 'Network', 'IPv6Forwarding'), keys: [...IPV6, 'net/ipv6/conf/default/forwarding'] },
  ].flatMap(({ assignment, keys }) => {
    if (assignment === undefined || !YES.test(assignment.value)) return []
    const { file, line } = assignment
    return keys.map((key) => ({ key, value: '1', file, line }))
  })
}

/** What a file and its drop-ins enable. */
function enabledBy(lines: readonly Assignment[]): readonly StoredAssignment[] {
  const [first] = lines
  if (first === undefined) return []
  const forwarding = forwardingOf(lines.filter(({ section }) => section === 'Network'))
  return [...forwarding, ...advertisementsOf(lines, first.file, forwarding)]
}

/** Unset, advertisements are taken unless IPv6 is forwarded. */
function advertisementsOf(
  lines: readonly Assignment[],
  file: string,
  forwarding: readonly StoredAssignment[],
): readonly StoredAssignment[] {
  const linkLocal = lastOf(lines, 'Network', 'LinkLocalAddressing')?.value ?? ''
  const accept = lastOf(lines, 'Network', 'IPv6AcceptRA')
  if (NO.test(linkLocal) || linkLocal.startsWith('ipv4') || lastOf(lines, 'Match', 'Name')?.value === 'lo') return []
  if (accept !== undefined && YES.test(accept.value))
    return [{ key: ACCEPT_RA, value: '1', file: accept.file, line: accept.line }]
  if (NO.test(accept?.value ?? '') || forwarding.some(({ key }) => key.startsWith('net/ipv6/'))) return []
  return [{ key: ACCEPT_RA, value: '1', file, line: 1, remedy: `set IPv6AcceptRA=no in ${file}` }]
}

/** What the lines of a section come to: of each key the last one counts. */
function forwardingOf(lines: readonly Assignment[]): readonly StoredAssignment[] {
  const last = new Map<string, readonly StoredAssignment[]>()
  for (const { key, value, file, line } of lines) {
    const set = KEYS[key]?.(value).map((each) => ({ key: each, value: '1', file, line }))
    if (set !== undefined) last.set(key, set)
  }
  return [...last.values()].flat()
}
