import { known, type Reading } from '../../model/observation.ts'
import type { MachineReading } from '../../host/live/machine-reading.ts'
import { PERSISTENT_DIRECTORY, THIS_MACHINE } from '../../host/systemd/place.ts'
import type { Assignment } from '../../settings/assignment.ts'
import type { ConfigFiles } from '../../settings/surface.ts'
import { DIRECTORIES, readSystemd } from '../../settings/systemd.ts'
import type { StoredAssignment } from './sysctl-conf.ts'

const UNIT = 'systemd-networkd.service'
const NETWORK = 'systemd/network'

const IPV4 = ['net/ipv4/ip_forward', 'net/ipv4/conf/all/forwarding']
const IPV6 = ['net/ipv6/conf/all/forwarding']
const YES = /^(?:1|yes|y|true|t|on)$/i

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
 * The forwarding that systemd-networkd enables when it configures interfaces, after sysctl.d was applied; nothing where it is
 * not enabled. @see systemd.network(5), IPForward=
 */
export function readNetworkd(machine: MachineReading): Reading<readonly StoredAssignment[]> {
  const enabled = isEnabled(machine)
  if (enabled.kind === 'unknown' || !enabled.value) return enabled.kind === 'unknown' ? enabled : known([])
  const names = namesIn(
    machine,
    DIRECTORIES.map((directory) => `${directory}/${NETWORK}`),
  )
  if (names.kind === 'unknown') return names
  const files = configFilesOf(machine)
  const forwarding: StoredAssignment[] = []
  for (const name of names.value.filter((each) => each.endsWith('.network')).toSorted()) {
    const lines = readSystemd(files, `${NETWORK}/${name}`)
    if (lines.kind === 'unknown') return lines
    forwarding.push(...forwardingOf(lines.value.filter(({ section }) => section === 'Network')))
  }
  return known(forwarding)
}

function configFilesOf(machine: MachineReading): Pick<ConfigFiles, 'names' | 'text'> {
  return {
    names: (directory) => machine.list(directory),
    text(path) {
      const leadsTo = machine.realPath(path)
      return leadsTo.kind === 'known' && leadsTo.value === '/dev/null' ? known('') : machine.readText(path)
    },
  }
}

/** The names in directories, each once. */
function namesIn(machine: MachineReading, directories: readonly string[]): Reading<readonly string[]> {
  const found = new Set<string>()
  for (const directory of directories) {
    const names = machine.list(directory)
    if (names.kind === 'unknown') return names
    for (const name of names.value ?? []) found.add(name)
  }
  return known([...found])
}

function isEnabled(machine: MachineReading): Reading<boolean> {
  const leadsTo = machine.realPath(`${PERSISTENT_DIRECTORY}/${UNIT}`)
  if (leadsTo.kind === 'unknown') return leadsTo
  if (leadsTo.value === '/dev/null') return known(false)
  for (const directory of THIS_MACHINE.unitDirectories) {
    const names = machine.list(directory)
    if (names.kind === 'unknown') return names
    const wants = (names.value ?? []).filter((name) => name.endsWith('.wants')).map((name) => `${directory}/${name}`)
    const wanted = namesIn(machine, wants)
    if (wanted.kind === 'unknown' || wanted.value.includes(UNIT))
      return wanted.kind === 'unknown' ? wanted : known(true)
  }
  return known(false)
}

/** What the lines of a file and its drop-ins come to: of each key the last one counts. */
function forwardingOf(lines: readonly Assignment[]): readonly StoredAssignment[] {
  const last = new Map<string, readonly StoredAssignment[]>()
  for (const { key, value, file, line } of lines) {
    const set = KEYS[key]?.(value).map((each) => ({ key: each, value: '1', file, line }))
    if (set !== undefined) last.set(key, set)
  }
  return [...last.values()].flat()
}
