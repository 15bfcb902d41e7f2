import type { Target } from '../../host/target.ts'
import { unreadable } from '../../model/differences.ts'
import type { UnknownProperty } from '../../model/drift.ts'
import type { ExportsOf } from '../../model/exported.ts'
import { type Seen, absent, type Observation, present, unknown } from '../../model/observation.ts'
import type { Captured, ResourceCapture } from '../../resource-type/capture.ts'
import { defineExports, defineProperties, defineResource, type ResourceType } from '../../resource-type/define.ts'
import { nameOfProcess } from '../processes/identity.ts'
import type { Process } from '../processes/processes.ts'
import { lastingUnits } from '../shared/lasting-units.ts'
import { oneOrSeveral } from '../shared/one-or-several.ts'
import { notAnAddress, acceptsAddresses } from './addresses.ts'
import { decidePort, type PortState, type PortDesired, type ObservedSocket } from './decide.ts'
import { parseAllowed, parsePortName, isMeant, protocolsOf } from './name.ts'
import { SOCKETS } from './subject.ts'

const properties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    nonEmpty: true,
    phase: 'early',
    summary:
      'The port: `tcp:22`, `udp:123`, `sctp:3868` or `udplite:5000`. A number alone means TCP, `tcp4:22` or `tcp6:22` one IP version. `*`, `tcp:*` and `udp:*` are all ports that are open to other machines. `raw:89` is a raw socket, which receives all packets of an IP protocol (1 is ICMP, 58 is ICMPv6); `raw:*` is every raw socket. Raw sockets have no port, so `*` does not include them.',
  },
  ensure: {
    kind: 'text',
    oneOf: ['listening', 'closed'],
    default: 'listening',
    phase: 'early',
    summary:
      'Whether a process listens: on a TCP or SCTP socket that accepts connections, or on another socket without a connected peer, in the network namespace of driftgate.',
  },
  where_address: {
    kind: 'text',
    nonEmpty: true,
    accepts: 'text',
    phase: 'early',
    parameter: true,
    summary:
      'Checks only sockets that are reachable at this address. `{ not: loopback }` by default if the name means all ports.',
  },
  addresses: {
    kind: 'text',
    nonEmpty: true,
    accepts: 'text',
    phase: 'early',
    summary:
      'All addresses at which the port is reachable: addresses, networks such as `10.0.0.0/8`, or `loopback`. A socket at `0.0.0.0` or `::` is reachable at every address. A socket at `::` counts as reachable over IPv4 too, because the kernel does not show it, unless another socket at `0.0.0.0` has the port.',
  },
  process: {
    kind: 'text',
    nonEmpty: true,
    accepts: 'text',
    phase: 'early',
    summary: 'The program of each process with the socket open, by name or path, as with `process`.',
  },
  user: {
    kind: 'text',
    nonEmpty: true,
    accepts: 'text',
    phase: 'early',
    summary: 'The effective user of each process with the socket open, by name or number.',
  },
  unit: {
    kind: 'text',
    nonEmpty: true,
    accepts: 'text',
    phase: 'early',
    summary: 'The systemd unit of each process with the socket open, or the socket unit for which systemd holds it.',
  },
  only: {
    kind: 'list',
    items: { kind: 'text', nonEmpty: true, summary: 'A port or a range, `tcp:443` or `udp:60000-61000`.' },
    phase: 'early',
    summary: 'The only ports that may listen; none of them is required to. Requires a name that means all ports.',
  },
  if_absent: {
    kind: 'text',
    oneOf: ['drift', 'compliant'],
    default: 'drift',
    phase: 'early',
    parameter: true,
    summary:
      'Verdict if no process listens although `ensure` requires it; use compliant if only the listening process matters.',
  },
})

const exports = defineExports({
  listening: { kind: 'boolean', summary: 'Whether a process listens.' },
  addresses: { kind: 'text', summary: 'The listening addresses, comma-separated.' },
})

/** Captures the addresses and owners of a listening port. */
const portCapture: ResourceCapture<PortState, undefined> = {
  look: {},
  describe(seen, { name }): Captured {
    if (seen.kind === 'absent') return { kind: 'absent', properties: { ensure: 'closed' } }
    const { sockets, users, undecided } = seen.state
    if (undecided !== undefined) return undecided
    if (name.endsWith('*')) return unknown('invalid', `${name} is not a single port: name one, such as tcp:22`)
    const unread: UnknownProperty[] = []
    const processes: Process[] = []
    const units: string[] = []
    for (const { owner } of sockets) {
      if (owner.kind === 'unknown') {
        unread.push(unreadable('process', owner))
        continue
      }
      processes.push(...owner.value.processes)
      if (owner.value.units.kind === 'unknown') unread.push(unreadable('unit', owner.value.units))
      else units.push(...unitsThatCount(owner.value.units.value))
    }
    const isSeen = (property: string): boolean =>
      unread.every((each) => each.property === 'unit' && property !== 'unit')
    const owned = {
      ...(isSeen('process') ? { ...oneOrSeveral('process', processes.map(programOf)) } : {}),
      ...(isSeen('user')
        ? oneOrSeveral(
            'user',
            processes.map(({ effectiveUid: uid }) => users.get(uid) ?? String(uid)),
          )
        : {}),
      ...(isSeen('unit') ? oneOrSeveral('unit', lastingUnits(units)) : {}),
    }
    const addresses = oneOrSeveral(
      'addresses',
      sockets.map(({ address }) => address),
    )
    return { kind: 'present', properties: { ensure: 'listening', ...addresses, ...owned }, unread: unread.slice(0, 1) }
  },
}

export const port: ResourceType = defineResource({
  type: 'port',
  summary: 'Ports: the listening process and its addresses, or that no process listens.',
  properties,
  rules: [
    { reads: ['name'], at: 'name', check: nameProblem },
    {
      summary: '`only` requires a name that means all ports: `*`, `tcp:*` or `udp:*`.',
      reads: ['name', 'only'],
      at: 'only',
      check: onlyProblem,
    },
    {
      summary: '`ensure: closed` excludes other requirements, and all ports need one.',
      reads: ['name', 'ensure', 'addresses', 'process', 'user', 'unit', 'only'],
      check: ensureProblem,
    },
    { reads: ['addresses'], at: 'addresses', check: ({ addresses }) => addressProblem('addresses', addresses) },
    {
      reads: ['where_address'],
      at: 'where_address',
      check: (given) => addressProblem('where_address', given.where_address),
    },
  ],
  exports,
  drifts: ['ensure', 'only', 'addresses', 'process', 'user', 'unit'],
  neverSecret: ['ensure'],
  examples: [
    {
      title: 'Mail is accepted from localhost only, if at all',
      yaml: `
        port:
          - tcp:25:
              addresses: loopback
              if_absent: compliant`,
    },
    {
      title: 'Only these ports are reachable from outside',
      yaml: `
        port:
          - "*":
              only: [tcp:22, tcp:443, udp:123]`,
    },
    {
      title: 'sshd of the distribution serves SSH, and the telnet port is closed',
      yaml: `
        port:
          - tcp:22:
              process: /usr/sbin/sshd
              unit: { one_of: [ssh.service, ssh.socket] }
          - tcp:23:
              ensure: closed`,
    },
  ],
  platforms: ['linux'],
  observe: observePort,
  decide: decidePort,
  apply: async () => ({ kind: 'failed', message: 'a fix does not open or close ports' }),
  exportsOf: exportsOfPort,
  capture: portCapture,
})

function nameProblem({ name }: Partial<PortDesired>): string | undefined {
  if (name === undefined || parsePortName(name) !== undefined) return undefined
  return 'name must be a port such as tcp:22, udp:123, tcp6:80 or sctp:3868 with a number from 1 to 65535, raw: with a protocol number, or * for all'
}

function onlyProblem({ name = '', only }: Partial<PortDesired>): string | undefined {
  if (only === undefined) return undefined
  const wrong = only.find((each) => parseAllowed(each) === undefined)
  if (wrong !== undefined)
    return `only contains "${wrong}", which is neither a port such as tcp:443 nor a range such as udp:60000-61000`
  const parsed = parsePortName(name)
  return parsed?.port === undefined ? undefined : '"only" requires the name *'
}

function ensureProblem(given: Partial<PortDesired>): string | undefined {
  const said = (['only', 'addresses', 'process', 'user', 'unit'] as const).find((each) => given[each] !== undefined)
  if (given.ensure === 'closed')
    return said === undefined ? undefined : `ensure: closed cannot be combined with "${said}"`
  const isAll = given.name !== undefined && parsePortName(given.name)?.port === undefined
  return isAll && said === undefined ? 'all ports need a requirement: set "only" or "ensure: closed"' : undefined
}

function addressProblem(property: string, wanted: PortDesired['addresses']): string | undefined {
  const wrong = wanted === undefined ? undefined : notAnAddress(wanted)
  return wrong === undefined
    ? undefined
    : `${property} contains "${wrong}", which is neither an address, a network nor "loopback"`
}

function exportsOfPort(_desired: unknown, observed: Seen<PortState>): ExportsOf<typeof exports> {
  if (observed.kind === 'absent') return { listening: false, addresses: '' }
  return { listening: true, addresses: [...new Set(observed.state.sockets.map(({ address }) => address))].join(',') }
}

type Machine = Pick<Target, 'open' | 'names'>

/** Observes the matching sockets and their owners. */
export async function observePort(
  { open, names: { userName } }: Machine,
  { name, where_address: where }: Pick<PortDesired, 'name' | 'where_address'>,
): Promise<Observation<PortState>> {
  const parsed = parsePortName(name)
  if (parsed === undefined) return unknown('invalid', `${name} is not a port`)
  const sockets = open(SOCKETS)
  const listening = sockets.listening(protocolsOf(parsed))
  if (listening.kind === 'unknown') return listening
  // For all ports, loopback sockets are excluded by default.
  const filter = where ?? (parsed.port === undefined ? { not: 'loopback' } : undefined)
  const meant: ObservedSocket[] = []
  const users = new Map<number, string>()
  let undecided: PortState['undecided']
  for (const socket of listening.value) {
    const answer = isMeant(socket, parsed)
    if (answer === 'no' || (filter !== undefined && !acceptsAddresses(filter, socket, 'some'))) continue
    if (answer === 'unknown') {
      const which = `${socket.protocol} [::]:${socket.port}`
      undecided ??= unknown(
        'not-observable',
        `it is unknown whether ${which} also accepts IPv4: name the port without an IP version`,
      )
      continue
    }
    const owner = await sockets.owner(socket)
    meant.push({ ...socket, owner })
    for (const { effectiveUid } of owner.kind === 'known' ? owner.value.processes : []) {
      const user = userName(effectiveUid)
      if (user !== undefined) users.set(effectiveUid, user)
    }
  }
  if (meant.length === 0) return undecided ?? absent()
  return present(undecided === undefined ? { sockets: meant, users } : { sockets: meant, users, undecided })
}

/** A socket unit stands for its service, which also holds the socket once it runs. */
function unitsThatCount(units: readonly string[]): readonly string[] {
  const services = units.filter((unit) => !unit.endsWith('.socket'))
  return services.length > 0 ? services : units
}

/** The path of the program; without one, the kernel's name of the process. */
function programOf(process: Process): string {
  const { executable } = process
  return executable.kind === 'known' && executable.value !== null ? executable.value.path : nameOfProcess(process)
}
