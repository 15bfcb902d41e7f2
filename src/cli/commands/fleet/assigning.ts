import { type Command, defineCommand } from '../../command.ts'
import {
  ASSIGN_OPTIONS,
  AUDIT_OPTIONS,
  PUBLISH_OPTIONS,
  RECORD_OPTIONS,
  UNPUBLISH_OPTIONS,
  WITHDRAW_OPTIONS,
} from './assigning-options.ts'

const publish = defineCommand({
  name: 'fleet publish',
  summary: 'Check policies, and put each as a bundle on the server of a fleet: prints its SHA-256 and its id',
  details: `What a bundle holds
  site.yaml    The policy, and the files and folders that it names: child manifests, sources, templates
  DIR          All files below but hidden ones, with the policy as manifest.yaml or policy.yaml
  site.tar.gz  What it holds already
  @NAME        The policy of this name that ships with driftgate

A bundle reaches every host. Private keys, seeds, files of passwords (.env), setuid files and files that only their
owner may read are left out, and refused where the policy names them, unless --allow-private FILE says so.
The list of its files has size, SHA-256, path and the line that names it.

Nothing is in force by that: "driftgate fleet assign" says for whom a bundle is. A policy needs an id of its own
("policy: { id: site }"), since in a bundle all are called manifest.yaml.

An assignment brings no data. What a policy has no values of its own for, the agent of each host is started with
("driftgate agent --data FILE", or --data kv://BUCKET/KEY for many of them), and publish checks with (--data).

Exit codes
  0  all of them are on the server
  1  something is wrong with one of them, and none is published; or the server takes none`,
  operands: { name: 'SOURCE', summary: 'a policy, a folder, a bundle, or @NAME', atLeast: 1, atMost: Infinity },
  options: PUBLISH_OPTIONS,
  examples: [{ command: 'driftgate fleet publish site.yaml @ssh', summary: 'Put two policies on the server' }],
  run: async (invocation, io) => (await import('./run-assigning.ts')).runPublish(invocation, io),
})

const unpublish = defineCommand({
  name: 'fleet unpublish',
  summary: 'Erase a bundle from the server of a fleet',
  details: `Hosts erase their copy when they take an assignment without it, so a bundle that a ring or a host is assigned stays:
assign other policies first. A host that is away erases its copy once it is back.`,
  operands: { name: 'SHA256', summary: 'what "driftgate fleet publish" printed', atLeast: 1, atMost: 1 },
  options: UNPUBLISH_OPTIONS,
  examples: [{ command: 'driftgate fleet unpublish SHA256', summary: 'Erase a bundle that held too much' }],
  run: async (invocation, io) => (await import('./run-assigning.ts')).runUnpublish(invocation, io),
})

const assign = defineCommand({
  name: 'fleet assign',
  summary: 'Say with which policies a ring or a host is to be scanned, signed by the key that signs policies',
  details: `Hosts take only what this key has signed for them, never an older assignment than they have, and bundles only by
their digest. A server that was taken can keep an assignment back, and not make one up.`,
  options: ASSIGN_OPTIONS,
  examples: [
    {
      command: 'driftgate fleet assign --to ring.all --policy SHA256 --reason "first baseline"',
      summary: 'Scan all hosts with what "driftgate fleet publish" has printed',
    },
  ],
  run: async (invocation, io) => (await import('./run-assigning.ts')).runAssign(invocation, io),
})

const withdraw = defineCommand({
  name: 'fleet withdraw',
  summary: 'Take the assignment of one host away, so that it follows its ring again',
  details: `A host takes nothing that is older than what it has. Where the assignment of its ring is, that is signed once more, with
the same policies: all hosts of the ring take it and scan.`,
  operands: { name: 'NAME', summary: 'the host', atLeast: 1, atMost: 1 },
  options: WITHDRAW_OPTIONS,
  examples: [{ command: 'driftgate fleet withdraw web01 --reason "the test is over"', summary: 'As its ring again' }],
  run: async (invocation, io) => (await import('./run-assigning.ts')).runWithdraw(invocation, io),
})

const EXIT_CODES = `Exit codes
  0  it was shown
  1  the server does not tell
  3  the server has something that nobody has signed who may; it is shown as such`

const assignments = defineCommand({
  name: 'fleet assignments',
  summary: 'Show what rings and hosts are assigned: by whom, since when, why; for one of them what came before, too',
  details: EXIT_CODES,
  operands: {
    name: 'ADDRESSEE',
    summary: 'ring.NAME or host.NAME, whose last 64 assignments are shown; all with the last one where it is absent',
    atLeast: 0,
    atMost: 1,
  },
  options: RECORD_OPTIONS,
  examples: [
    { command: 'driftgate fleet assignments ring.all', summary: 'Who changed what in the ring all, newest first' },
  ],
  run: async (invocation, io) => (await import('./run-assigning.ts')).runAssignments(invocation, io),
})

const audit = defineCommand({
  name: 'fleet audit',
  summary: 'Show what was done to a fleet: who was enrolled, what was published and assigned, by whom and when',
  details: `What nobody has signed who may is always shown, whatever is asked for.

${EXIT_CODES}`,
  options: AUDIT_OPTIONS,
  examples: [
    { command: 'driftgate fleet audit --since 7d --about web01', summary: 'What was done with this host in a week' },
    { command: 'driftgate fleet audit --act assign --act rollout --format json', summary: 'Some acts, for programs' },
  ],
  run: async (invocation, io) => (await import('./run-assigning.ts')).runAudit(invocation, io),
})

/** The commands that say what hosts are to be scanned with, and who did so. */
export const ASSIGNING: readonly Command[] = [publish, unpublish, assign, withdraw, assignments, audit]
