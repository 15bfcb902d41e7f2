import { NAME_RULE } from '../../../fleet/nats/names.ts'
import { type Command, defineCommand } from '../../command.ts'
import { ENROL_OPTIONS, FLEET_OPTION, INIT_OPTIONS, JOIN_OPTIONS, SEND_OPTIONS } from './members-options.ts'

const init = defineCommand({
  name: 'fleet init',
  summary: 'Make the configuration, keys and certificates of a fleet with a server',
  details: `What is made
  server/    For the machine of the server: the configuration of nats-server, its certificate, a systemd unit
  viewer/    For the machine that shows the fleet: keys that read, and the public half of the key that signs policies
  operator/  Stays where you are: the key that signs policies, the authority of the certificate, the roster

The server forwards and stores; it holds no key that a host would believe.`,
  operands: {
    name: 'DIR',
    summary: 'a directory that is new or empty; "fleet" where it is absent',
    atLeast: 0,
    atMost: 1,
  },
  options: INIT_OPTIONS,
  examples: [
    {
      command: 'driftgate fleet init --server nats.example.com --place /etc/driftgate/nats',
      summary: 'Begin a fleet whose server is another machine',
    },
  ],
  run: async (invocation, io) => (await import('./run-members.ts')).runInit(invocation, io),
})

const enrol = defineCommand({
  name: 'fleet enrol',
  summary: 'Invite hosts to a fleet, one by name or many at once',
  details: `One host   NAME prints an invitation that works once
Many hosts  --pattern GLOB --uses N prints one token; each host joins with its own name ("fleet join")
            --from FILE prints a line "NAME WORD" for each host of a CSV file
            --targets FILE runs "fleet join" on the hosts of an inventory and accepts the answers; driftgate must be
            installed there. Hosts that are members already are skipped, so it can be repeated

Exit codes
  0  all hosts were invited or enrolled
  1  some were not; each is named with the reason, the others were`,
  operands: { name: 'NAME', summary: `the name of the host: ${NAME_RULE}`, atLeast: 0, atMost: 1 },
  options: ENROL_OPTIONS,
  examples: [
    {
      command: 'driftgate fleet enrol web01 | ssh root@web01 driftgate fleet join - | driftgate fleet accept -',
      summary: 'Enrol a host; its key never leaves it',
    },
    {
      command: "driftgate fleet enrol --pattern 'web-*' --uses 200 --valid 1d",
      summary: 'A token for an image that 200 hosts start from',
    },
    {
      command: "driftgate fleet enrol --targets inventory.yaml --on web --become 'sudo -n'",
      summary: 'Enrol a group of an inventory through ssh',
    },
  ],
  run: async (invocation, io) => (await import('./run-enrol.ts')).runEnrol(invocation, io),
})

const join = defineCommand({
  name: 'fleet join',
  summary: 'On a host: make its key, trust the fleet that invited it, and print the answer',
  operands: {
    name: 'WORD',
    summary: 'what "driftgate fleet enrol" printed, or - for standard input',
    atLeast: 1,
    atMost: 1,
  },
  options: JOIN_OPTIONS,
  examples: [{ command: 'driftgate fleet join - < invitation', summary: 'Answer an invitation' }],
  run: async (invocation, io) => (await import('./run-members.ts')).runJoin(invocation, io),
})

const accept = defineCommand({
  name: 'fleet accept',
  summary: 'Accept answers of hosts: their keys go into roster and server configuration',
  operands: {
    name: 'WORD',
    summary: 'what "driftgate fleet join" printed, or - for standard input with one answer per line',
    atLeast: 1,
    atMost: 1,
  },
  options: FLEET_OPTION,
  examples: [{ command: 'driftgate fleet accept - < answers', summary: 'Accept the answers of hosts' }],
  run: async (invocation, io) => (await import('./run-enrol.ts')).runAccept(invocation, io),
})

const prepare = defineCommand({
  name: 'fleet prepare',
  summary: 'Make the streams that the server of a fleet stores in, or bring them up to date',
  options: FLEET_OPTION,
  examples: [{ command: 'driftgate fleet prepare', summary: 'After the server was started for the first time' }],
  run: async (invocation, io) => (await import('./run-members.ts')).runPrepare(invocation, io),
})

const send = defineCommand({
  name: 'fleet send',
  summary: 'On a host: send the runs of its history that the server does not have yet, signed by the key of the host',
  details: `Exit codes
  0  the server has all of them
  1  it does not; what was not sent stays in the history and is sent the next time, but for a run that is larger than the
     server takes: that is lost for it, and what comes next says so`,
  options: SEND_OPTIONS,
  examples: [
    { command: 'driftgate scan @cis-debian-12 --history; driftgate fleet send', summary: 'Audit, and report it' },
  ],
  run: async (invocation, io) => (await import('./run-members.ts')).runSend(invocation, io),
})

/** The commands that make a fleet and its members, and those of a member. */
export const MEMBERS: readonly Command[] = [init, prepare, enrol, join, accept, send]
