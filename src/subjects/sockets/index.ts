import type { ExportsOf } from '../../model/exported.ts'
import type { Seen } from '../../model/observation.ts'
import { defineExports, defineProperties, defineResource, type ResourceType } from '../../resource-type/define.ts'
import { notAnAddress } from './addresses.ts'
import { portCapture } from './capture.ts'
import { decidePort, type PortState, type PortDesired } from './decide.ts'
import { parseAllowed, parsePortName } from './name.ts'
import { observePort } from './observe.ts'

const properties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    nonEmpty: true,
    phase: 'early',
    summary:
      'The port: `tcp:22`, `udp:123`, `sctp:3868` or `udplite:5000`, a number alone for TCP, `tcp4:22` or `tcp6:22` for one version of IP. `*`, `tcp:*` and `udp:*` are all that listen for others than the machine itself. `raw:89` is a raw socket, which takes all packets of a protocol of IP (1 is ICMP, 58 that of IPv6), `raw:*` all of them; having no ports they are not among those of `*`.',
  },
  ensure: {
    kind: 'text',
    oneOf: ['listening', 'closed'],
    default: 'listening',
    phase: 'early',
    summary:
      'Whether a process listens: a TCP or SCTP socket that accepts connections, or another socket without a single peer, in the network namespace of driftgate.',
  },
  where_address: {
    kind: 'text',
    nonEmpty: true,
    accepts: 'text',
    phase: 'early',
    parameter: true,
    summary:
      'Only sockets that can be reached at such an address. Where the name means all ports it is `{ not: loopback }` unless something else is said.',
  },
  addresses: {
    kind: 'text',
    nonEmpty: true,
    accepts: 'text',
    phase: 'early',
    summary:
      'All addresses where it can be reached: addresses, networks such as `10.0.0.0/8`, or `loopback`. A socket at `0.0.0.0` or `::` can be reached at all; one at `::` is taken to do so over IPv4, too, since the kernel does not show it, unless another one at `0.0.0.0` has the port.',
  },
  process: {
    kind: 'text',
    nonEmpty: true,
    accepts: 'text',
    phase: 'early',
    summary: 'The program of each process that has it open, by name or path, as with `process`.',
  },
  user: {
    kind: 'text',
    nonEmpty: true,
    accepts: 'text',
    phase: 'early',
    summary: 'The effective user of each process that has it open, by name or number.',
  },
  unit: {
    kind: 'text',
    nonEmpty: true,
    accepts: 'text',
    phase: 'early',
    summary: 'The unit of systemd of each such process, or the socket unit for which systemd keeps it.',
  },
  only: {
    kind: 'list',
    items: { kind: 'text', nonEmpty: true, summary: 'A port or a range, `tcp:443` or `udp:60000-61000`.' },
    phase: 'early',
    summary: 'No other ports than these listen; they need not. Only where the name means all ports.',
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
  addresses: { kind: 'text', summary: 'At which addresses, with commas between them.' },
})

/** Listening ports of the host. */
export const port: ResourceType = defineResource({
  type: 'port',
  summary: 'Ports: the listening process and its addresses, or that no process listens.',
  properties,
  rules: [
    { reads: ['name'], at: 'name', check: nameProblem },
    {
      summary: '`only` is about all ports: the name is `*`, `tcp:*` or `udp:*`.',
      reads: ['name', 'only'],
      at: 'only',
      check: onlyProblem,
    },
    {
      summary: 'Of a port that must be closed nothing else is said, and of all ports something is.',
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
      title: 'Mail is taken from this machine alone, if at all',
      yaml: `
        port:
          - tcp:25:
              addresses: loopback
              if_absent: compliant`,
    },
    {
      title: 'Nothing else than this can be reached from outside',
      yaml: `
        port:
          - "*":
              only: [tcp:22, tcp:443, udp:123]`,
    },
    {
      title: 'SSH is served by the daemon of the distribution, and telnet is not served',
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
  apply: async () => ({ kind: 'failed', message: 'a fix opens and closes no port' }),
  exportsOf: exportsOfPort,
  capture: portCapture,
})

function nameProblem({ name }: Partial<PortDesired>): string | undefined {
  if (name === undefined || parsePortName(name) !== undefined) return undefined
  return 'name must be a port such as tcp:22, udp:123, tcp6:80 or sctp:3868, with a number from 1 to 65535, raw: with that of a protocol, or * for all'
}

function onlyProblem({ name = '', only }: Partial<PortDesired>): string | undefined {
  if (only === undefined) return undefined
  const wrong = only.find((each) => parseAllowed(each) === undefined)
  if (wrong !== undefined)
    return `only has "${wrong}", which is neither a port such as tcp:443 nor a range such as udp:60000-61000`
  const parsed = parsePortName(name)
  return parsed?.port === undefined ? undefined : 'one port is not all: "only" needs the name *'
}

function ensureProblem(given: Partial<PortDesired>): string | undefined {
  const said = (['only', 'addresses', 'process', 'user', 'unit'] as const).find((each) => given[each] !== undefined)
  if (given.ensure === 'closed') return said === undefined ? undefined : `a port that must be closed has no "${said}"`
  const isAll = given.name !== undefined && parsePortName(given.name)?.port === undefined
  return isAll && said === undefined
    ? 'says nothing of the ports that listen: say "only", or "ensure: closed"'
    : undefined
}

function addressProblem(property: string, wanted: PortDesired['addresses']): string | undefined {
  const wrong = wanted === undefined ? undefined : notAnAddress(wanted)
  return wrong === undefined
    ? undefined
    : `${property} has "${wrong}", which is neither an address, a network nor "loopback"`
}

function exportsOfPort(_desired: unknown, observed: Seen<PortState>): ExportsOf<typeof exports> {
  if (observed.kind === 'absent') return { listening: false, addresses: '' }
  return { listening: true, addresses: [...new Set(observed.state.sockets.map(({ address }) => address))].join(',') }
}
