import { NAME_RULE } from '../../../fleet/nats/names.ts'
import { type Command, defineCommand } from '../../command.ts'
import { ENROL_OPTIONS, FLEET_OPTION, INIT_OPTIONS, JOIN_OPTIONS, SEND_OPTIONS } from './members-options.ts'

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
