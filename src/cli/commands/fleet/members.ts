import { isSafeName, NAME_RULE } from '../../../fleet/nats/names.ts'
import { type Command, defineCommand, type OptionsOf, type OptionSpecs } from '../../command.ts'
import { parseDuration } from '../../../model/duration.ts'
import { parseSize } from '../../../model/size.ts'
import { isNamePattern } from '../../../fleet/nats/enrolment.ts'
import { AGENT_OPTION } from '../../options/agent.ts'
import { CARRY_OPTIONS } from '../../options/carry.ts'

/** Fleet directory option of operator commands. */
export const FLEET_OPTION = {
  fleet: {
    kind: 'value',
    group: 'Fleet:',
    placeholder: 'DIR',
    holds: 'path',
    summary: 'Fleet directory of "driftgate fleet init" (default: fleet)',
  },
} as const satisfies OptionSpecs

const INIT_OPTIONS = {
  server: {
    kind: 'value',
    group: 'Server:',
    placeholder: 'HOST[:PORT]',
    complain: complainOfServers,
    summary: 'Server addresses of the hosts, comma-separated (default port: 4222)',
  },
  listen: {
    kind: 'value',
    group: 'Server:',
    placeholder: 'ADDRESS:PORT',
    complain: (text) => (/^[0-9A-Fa-f.:[\]]+:\d{1,5}$/.test(text) ? undefined : 'must be an address and a port'),
    summary: 'Listen address of the server (default: all addresses)',
  },
  place: {
    kind: 'value',
    group: 'Server:',
    placeholder: 'DIR',
    complain: absolutePathProblem,
    summary: 'Path of the directory "server" on the server host',
  },
  store: {
    kind: 'value',
    group: 'Server:',
    placeholder: 'DIR',
    complain: absolutePathProblem,
    summary: 'Storage directory of the server (default: /var/lib/driftgate-nats)',
  },
  size: {
    kind: 'value',
    group: 'Server:',
    placeholder: 'SIZE',
    complain: (text) => ((parseSize(text) ?? 0) > 0 ? undefined : 'must be a size such as 20GiB'),
    summary: 'Storage limit of the server (default: 20GiB; see "fleet size")',
  },
  'tls-cert': {
    kind: 'value',
    group: 'Certificate:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Own certificate chain in PEM',
  },
  'tls-key': {
    kind: 'value',
    group: 'Certificate:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Private key of the certificate in PEM',
  },
  'tls-ca': {
    kind: 'value',
    group: 'Certificate:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'CA certificate in PEM',
  },
} as const satisfies OptionSpecs

const ENROL_OPTIONS = {
  ...FLEET_OPTION,
  ring: {
    kind: 'value',
    group: 'Host:',
    placeholder: 'NAME',
    complain: (text) => (isSafeName(text) ? undefined : `must be ${NAME_RULE}`),
    summary: 'Ring of the host (default: all)',
  },
  interval: {
    kind: 'value',
    group: 'Host:',
    placeholder: 'DURATION',
    complain: complainOfSpan,
    summary: 'Reporting interval of the host (default: 1h)',
  },
  valid: {
    kind: 'value',
    group: 'Host:',
    placeholder: 'DURATION',
    complain: complainOfSpan,
    summary: 'Validity of the invitation or token (default: 1h)',
  },
  pattern: {
    kind: 'value',
    group: 'Many hosts:',
    placeholder: 'GLOB',
    complain: (text) =>
      isNamePattern(text) ? undefined : 'must be lowercase letters, digits and hyphens, with * and ? as wildcards',
    summary: 'Create one token for all hosts with matching names, such as web-*',
  },
  uses: {
    kind: 'value',
    group: 'Many hosts:',
    placeholder: 'N',
    complain: (text) => (/^[1-9]\d{0,5}$/.test(text) ? undefined : 'must be a number of hosts'),
    summary: 'Number of hosts that may join with the token of --pattern',
  },
  from: {
    kind: 'value',
    group: 'Many hosts:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Invite the hosts of a CSV file (name, ring, interval; others: labels)',
  },
  targets: {
    kind: 'value',
    group: 'Many hosts:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Enrol the hosts of an inventory over SSH',
  },
  on: {
    kind: 'list',
    group: 'Many hosts:',
    placeholder: 'SELECTOR',
    summary: 'Enrol only matching targets: a name, a group or LABEL=VALUE',
  },
  become: CARRY_OPTIONS.become,
} as const satisfies OptionSpecs

const JOIN_OPTIONS = {
  ...AGENT_OPTION,
  name: {
    kind: 'value',
    group: 'Host:',
    placeholder: 'NAME',
    complain: (text) => (isSafeName(text) ? undefined : `must be ${NAME_RULE}`),
    summary: 'Name of the host when it joins with a token (default: host name)',
  },
  'no-orders': {
    kind: 'flag',
    group: 'Host:',
    summary: 'Accept no fix orders on this host',
  },
} as const satisfies OptionSpecs

const SEND_OPTIONS = {
  ...AGENT_OPTION,
  history: {
    kind: 'value',
    group: 'Host:',
    placeholder: 'DIR',
    holds: 'path',
    summary: 'History of this host (default: the state directory)',
  },
} as const satisfies OptionSpecs

export type InitFlags = OptionsOf<typeof INIT_OPTIONS>

export type FleetHomeFlags = OptionsOf<typeof FLEET_OPTION>

export type EnrolFlags = OptionsOf<typeof ENROL_OPTIONS>

export type JoinFlags = OptionsOf<typeof JOIN_OPTIONS>

export type SendFlags = OptionsOf<typeof SEND_OPTIONS>

const init = defineCommand({
  name: 'fleet init',
  summary: 'Create the configuration, keys and certificates of a fleet',
  details: `Directories
  server/    For the server host: configuration of nats-server, its certificate, a systemd unit
  viewer/    For the host of the web view: read-only keys and the public policy key
  operator/  For this host: the policy key, the CA of the certificate, the roster

The server forwards and stores messages; it has no key that hosts trust.`,
  operands: {
    name: 'DIR',
    summary: 'a new or empty directory (default: fleet)',
    atLeast: 0,
    atMost: 1,
  },
  options: INIT_OPTIONS,
  examples: [
    {
      command: 'driftgate fleet init --server nats.example.com --place /etc/driftgate/nats',
      summary: 'Create a fleet with a server on another host',
    },
  ],
  run: async (invocation, io) => (await import('./run-members.ts')).runInit(invocation, io),
})

const enrol = defineCommand({
  name: 'fleet enrol',
  summary: 'Create one-time invitations for hosts',
  details: `One host    NAME prints a one-time invitation
Many hosts  --pattern GLOB --uses N prints one token; each host joins under its own name ("fleet join")
            --from FILE prints a line "NAME WORD" for each host of a CSV file
            --targets FILE runs "fleet join" on the hosts of an inventory and accepts the answers; driftgate must be
            installed there. Hosts that are already members are skipped, so the command can be repeated

Exit codes
  0  all hosts invited or enrolled
  1  some were not; the messages say which and why`,
  operands: { name: 'NAME', summary: `the name of the host: ${NAME_RULE}`, atLeast: 0, atMost: 1 },
  options: ENROL_OPTIONS,
  examples: [
    {
      command: 'driftgate fleet enrol web01 | ssh root@web01 driftgate fleet join - | driftgate fleet accept -',
      summary: 'Invite one host',
    },
    {
      command: "driftgate fleet enrol --pattern 'web-*' --uses 200 --valid 1d",
      summary: 'Create a token for 200 hosts of one image',
    },
    {
      command: "driftgate fleet enrol --targets inventory.yaml --on web --become 'sudo -n'",
      summary: 'Enrol an inventory group over SSH',
    },
  ],
  run: async (invocation, io) => (await import('./run-enrol.ts')).runEnrol(invocation, io),
})

const join = defineCommand({
  name: 'fleet join',
  summary: 'Join a fleet by invitation and print the answer (on the host)',
  operands: {
    name: 'WORD',
    summary: 'output of "driftgate fleet enrol", or - for standard input',
    atLeast: 1,
    atMost: 1,
  },
  options: JOIN_OPTIONS,
  examples: [{ command: 'driftgate fleet join - < invitation', summary: 'Join with an invitation' }],
  run: async (invocation, io) => (await import('./run-members.ts')).runJoin(invocation, io),
})

const accept = defineCommand({
  name: 'fleet accept',
  summary: 'Accept answers of hosts and add their keys to the roster',
  operands: {
    name: 'WORD',
    summary: 'output of "driftgate fleet join", or - to read one answer per line',
    atLeast: 1,
    atMost: 1,
  },
  options: FLEET_OPTION,
  examples: [{ command: 'driftgate fleet accept - < answers', summary: 'Accept answers from a file' }],
  run: async (invocation, io) => (await import('./run-enrol.ts')).runAccept(invocation, io),
})

const prepare = defineCommand({
  name: 'fleet prepare',
  summary: 'Create or update the streams of the fleet server',
  options: FLEET_OPTION,
  examples: [{ command: 'driftgate fleet prepare', summary: 'Prepare a new server' }],
  run: async (invocation, io) => (await import('./run-members.ts')).runPrepare(invocation, io),
})

const send = defineCommand({
  name: 'fleet send',
  summary: 'Send saved runs to the server, signed (on the host)',
  details: `Exit codes
  0  the server has all runs
  1  some runs were not sent; they stay in the history and are sent next time, except runs larger than the limit of
     the server, which the next message reports as lost`,
  options: SEND_OPTIONS,
  examples: [
    { command: 'driftgate scan @cis-debian-12 --history; driftgate fleet send', summary: 'Audit and send the result' },
  ],
  run: async (invocation, io) => (await import('./run-members.ts')).runSend(invocation, io),
})

/** Commands that create a fleet and its members, and those of a member. */
export const MEMBERS: readonly Command[] = [init, prepare, enrol, join, accept, send]

function absolutePathProblem(text: string): string | undefined {
  return /^\/[^"\\\n]*$/.test(text) ? undefined : 'must be an absolute path without quotes'
}

/** Describes why server addresses are invalid. */
export function complainOfServers(text: string): string | undefined {
  return /^[A-Za-z0-9.-]+(?::\d{1,5})?(?:,[A-Za-z0-9.-]+(?::\d{1,5})?)*$/.test(text)
    ? undefined
    : 'must be names or IPv4 addresses, separated by commas, each with an optional port'
}

/** Describes why a duration is invalid or zero. */
export function complainOfSpan(text: string): string | undefined {
  return (parseDuration(text) ?? 0) > 0 ? undefined : 'must be a duration such as 1h or 1d'
}
