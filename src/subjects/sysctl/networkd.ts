import { known, type Reading, type Unknown } from '../../model/observation.ts'
import type { MachineReading } from '../../host/live/machine-reading.ts'
import { assignmentsIn } from '../../host/systemd/unit-syntax.ts'
import type { StoredAssignment } from './sysctl-conf.ts'

const UNIT = 'systemd-networkd.service'
const UNIT_DIRECTORIES = [
  '/etc/systemd/system',
  '/run/systemd/system',
  '/usr/lib/systemd/system',
  '/lib/systemd/system',
]
/** A file hides those of the same name in later ones. @see systemd.network(5) */
const DIRECTORIES = [
  '/etc/systemd/network',
  '/run/systemd/network',
  '/usr/local/lib/systemd/network',
  '/usr/lib/systemd/network',
]

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
  const unread: Unknown[] = []
  const files = filesOf(machine, unread)
  const names = isEnabled(files) ? files.names(DIRECTORIES).filter((name) => name.endsWith('.network')) : []
  const assignments = names.toSorted().flatMap((name) => forwardingOf(files, name))
  return unread[0] ?? known(assignments)
}

interface Files {
  /** The names in directories, each once. */
  readonly names: (directories: readonly string[]) => readonly string[]
  /** The first file of a name that is there; undefined for a link to /dev/null, which hides all of them. */
  readonly first: (directories: readonly string[], name: string) => string | undefined
  readonly text: (path: string) => string
}

/** What cannot be read is noted and counts as empty. */
function filesOf(machine: MachineReading, unread: Unknown[]): Files {
  const read = <T>(reading: Reading<T | null>, fallback: T): T => {
    if (reading.kind === 'unknown') unread.push(reading)
    return reading.kind === 'unknown' ? fallback : (reading.value ?? fallback)
  }
  return {
    names: (directories) => [
      ...new Set(directories.flatMap((path) => read<readonly string[]>(machine.list(path), []))),
    ],
    first(directories, name) {
      const path = directories.map((each) => `${each}/${name}`).find((each) => machine.stat(each).kind !== 'absent')
      const leadsTo = path === undefined ? '/dev/null' : read(machine.realPath(path), path)
      return leadsTo === '/dev/null' ? undefined : path
    },
    text: (path) => read(machine.readText(path), ''),
  }
}

function isEnabled(files: Files): boolean {
  const isMasked =
    files.names(['/etc/systemd/system']).includes(UNIT) && files.first(['/etc/systemd/system'], UNIT) === undefined
  const wants = UNIT_DIRECTORIES.flatMap((directory) =>
    files.names([directory]).flatMap((name) => (name.endsWith('.wants') ? [`${directory}/${name}`] : [])),
  )
  return !isMasked && files.names(wants).includes(UNIT)
}

/** What a file and its drop-ins come to: of each key the last line counts. */
function forwardingOf(files: Files, name: string): readonly StoredAssignment[] {
  const dropIns = DIRECTORIES.map((directory) => `${directory}/${name}.d`)
  const paths = [
    files.first(DIRECTORIES, name),
    ...files
      .names(dropIns)
      .filter((each) => each.endsWith('.conf'))
      .toSorted()
      .map((each) => files.first(dropIns, each)),
  ]
  const last = new Map<string, readonly StoredAssignment[]>()
  for (const file of paths) {
    for (const { key, value, line } of file === undefined ? [] : assignmentsIn(files.text(file), 'Network')) {
      const parameters = KEYS[key]?.(value)
      const set = parameters?.map((each) => ({ key: each, value: '1', file: file ?? '', line }))
      if (set !== undefined) last.set(key, set)
    }
  }
  return [...last.values()].flat()
}
