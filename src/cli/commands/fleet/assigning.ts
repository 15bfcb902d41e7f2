import { type Command, defineCommand, type OptionsOf, type OptionSpecs } from '../../command.ts'
import { readAddressee } from '../../../fleet/nats/names.ts'
import { isSha256 } from '../../../host/signing/digest.ts'
import { complainOfSince } from '../../options/since.ts'
import { INPUT_OPTIONS } from '../../options/input.ts'
import { complainOfSpan, FLEET_OPTION } from './members.ts'
import { FORMAT } from '../../options/format.ts'

export const REASON = {
  reason: { kind: 'value', group: 'Record:', placeholder: 'TEXT', summary: 'Reason, for the activity log' },
} as const satisfies OptionSpecs

export const AUTHOR = {
  author: {
    kind: 'value',
    group: 'Record:',
    placeholder: 'NAME',
    summary: 'Name for the activity log (default: user and host)',
  },
} as const satisfies OptionSpecs

const PUBLISH_OPTIONS = {
  ...FLEET_OPTION,
  data: {
    ...INPUT_OPTIONS.data,
    summary: 'Check with this data of the agents (not published)',
  },
  'allow-private': {
    kind: 'list',
    group: 'Bundle:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Pack this private file that the policy names (repeatable)',
  },
  'dry-run': { kind: 'flag', group: 'Bundle:', summary: 'List the files of each bundle without publishing' },
  ...AUTHOR,
} as const satisfies OptionSpecs

const ASSIGN_OPTIONS = {
  ...FLEET_OPTION,
  to: {
    kind: 'value',
    group: 'Assignment:',
    placeholder: 'ADDRESSEE',
    complain: (text) => (readAddressee(text) === undefined ? 'must be ring.NAME or host.NAME' : undefined),
    summary: 'Addressee: ring.NAME or host.NAME (a host overrides its ring)',
  },
  policy: {
    kind: 'list',
    group: 'Assignment:',
    placeholder: 'SHA256',
    complain: (text) => (isSha256(text) ? undefined : 'must be a SHA-256 as "driftgate fleet publish" prints it'),
    summary: 'Bundle on the server (repeatable; replaces all earlier ones)',
  },
  interval: {
    kind: 'value',
    group: 'Assignment:',
    placeholder: 'DURATION',
    complain: complainOfSpan,
    summary: 'Scan interval of the hosts (default: set at enrolment)',
  },
  ...REASON,
  ...AUTHOR,
} as const satisfies OptionSpecs

const UNPUBLISH_OPTIONS = { ...FLEET_OPTION, ...AUTHOR } as const satisfies OptionSpecs
const WITHDRAW_OPTIONS = { ...FLEET_OPTION, ...REASON, ...AUTHOR } as const satisfies OptionSpecs

export const RECORD_OPTIONS = {
  ...FLEET_OPTION,
  ...FORMAT,
} as const satisfies OptionSpecs

const AUDIT_OPTIONS = {
  ...RECORD_OPTIONS,
  since: {
    kind: 'value',
    group: 'Only:',
    placeholder: 'DURATION|DATE',
    complain: complainOfSince,
    summary: 'Show acts within this time, or since this day in UTC',
  },
  act: { kind: 'list', group: 'Only:', placeholder: 'WORD', summary: 'Show only these acts: enrol, publish, assign' },
  about: {
    kind: 'value',
    group: 'Only:',
    placeholder: 'TEXT',
    summary: 'Show only acts on this host, ring or digest (8 digits)',
  },
} as const satisfies OptionSpecs

export type PublishFlags = OptionsOf<typeof PUBLISH_OPTIONS>

export type UnpublishFlags = OptionsOf<typeof UNPUBLISH_OPTIONS>

export type AssignFlags = OptionsOf<typeof ASSIGN_OPTIONS>

export type WithdrawFlags = OptionsOf<typeof WITHDRAW_OPTIONS>

export type RecordFlags = OptionsOf<typeof RECORD_OPTIONS>

export type AuditFlags = OptionsOf<typeof AUDIT_OPTIONS>

const publish = defineCommand({
  name: 'fleet publish',
  summary: 'Validate policies and publish them as bundles',
  details: `Bundle contents
  site.yaml    The policy and the files it names: child manifests, sources, templates
  DIR          All files but hidden ones, with the policy as manifest.yaml or policy.yaml
  site.tar.gz  The archive as it is
  @NAME        A shipped policy

Every host receives the bundle. Private keys, seeds, password files (.env), setuid files and files that only their
owner can read are omitted, and refused if the policy names them, unless --allow-private FILE allows it. The file
list shows size, SHA-256, path and the line that names the file.

Publishing does not assign: use "driftgate fleet assign". A policy needs its own id ("policy: { id: site }"), because
every policy in a bundle is called manifest.yaml.

Assignments carry no data. Start agents with data for the values that a policy does not define
("driftgate agent --data FILE", or --data kv://BUCKET/KEY), and pass the same data to publish (--data).

Exit codes
  0  all bundles published
  1  a policy is invalid or the server refuses it; nothing is published`,
  operands: { name: 'SOURCE', summary: 'a policy, a directory, a bundle, or @NAME', atLeast: 1, atMost: Infinity },
  options: PUBLISH_OPTIONS,
  examples: [{ command: 'driftgate fleet publish site.yaml @ssh', summary: 'Publish two policies' }],
  run: async (invocation, io) => (await import('./run-assigning.ts')).runPublish(invocation, io),
})

const unpublish = defineCommand({
  name: 'fleet unpublish',
  summary: 'Delete a bundle from the fleet server',
  details: `A bundle that is assigned to a ring or a host is kept: assign other policies first. Hosts delete their copy with the
next assignment that does not include it.`,
  operands: { name: 'SHA256', summary: 'digest that "driftgate fleet publish" printed', atLeast: 1, atMost: 1 },
  options: UNPUBLISH_OPTIONS,
  examples: [{ command: 'driftgate fleet unpublish SHA256', summary: 'Delete a bundle with too many files' }],
  run: async (invocation, io) => (await import('./run-assigning.ts')).runUnpublish(invocation, io),
})

const assign = defineCommand({
  name: 'fleet assign',
  summary: 'Assign policies to a ring or a host',
  details: `Hosts accept only assignments signed with the policy key, reject older ones, and verify bundles by digest. A
compromised server can withhold an assignment, but cannot forge one.`,
  options: ASSIGN_OPTIONS,
  examples: [
    {
      command: 'driftgate fleet assign --to ring.all --policy SHA256 --reason "first baseline"',
      summary: 'Assign a published bundle to all hosts',
    },
  ],
  run: async (invocation, io) => (await import('./run-assigning.ts')).runAssign(invocation, io),
})

const withdraw = defineCommand({
  name: 'fleet withdraw',
  summary: 'Remove the assignment of a host, so that its ring applies',
  details: `Hosts reject older assignments. If the assignment of the ring is older, it is signed again with the same policies, and
all hosts of the ring scan with it.`,
  operands: { name: 'NAME', summary: 'the host', atLeast: 1, atMost: 1 },
  options: WITHDRAW_OPTIONS,
  examples: [
    { command: 'driftgate fleet withdraw web01 --reason "the test is over"', summary: 'Follow the ring again' },
  ],
  run: async (invocation, io) => (await import('./run-assigning.ts')).runWithdraw(invocation, io),
})

const EXIT_CODES = `Exit codes
  0  orders shown
  1  the server does not answer
  3  the server has entries without a valid signature; they are marked`

const assignments = defineCommand({
  name: 'fleet assignments',
  summary: 'Show assignments and their history',
  details: EXIT_CODES,
  operands: {
    name: 'ADDRESSEE',
    summary: 'ring.NAME or host.NAME, with its history (default: all, latest only)',
    atLeast: 0,
    atMost: 1,
  },
  options: RECORD_OPTIONS,
  examples: [{ command: 'driftgate fleet assignments ring.all', summary: 'Show the history of the ring all' }],
  run: async (invocation, io) => (await import('./run-assigning.ts')).runAssignments(invocation, io),
})

const audit = defineCommand({
  name: 'fleet audit',
  summary: 'Show the activity log of the fleet',
  details: `Entries without a valid signature are always shown.

${EXIT_CODES}`,
  options: AUDIT_OPTIONS,
  examples: [
    { command: 'driftgate fleet audit --since 7d --about web01', summary: 'Show a week of one host' },
    { command: 'driftgate fleet audit --act assign --act rollout --format json', summary: 'Print some acts as JSON' },
  ],
  run: async (invocation, io) => (await import('./run-assigning.ts')).runAudit(invocation, io),
})

/** Commands that publish and assign policies, and show the activity log. */
export const ASSIGNING: readonly Command[] = [publish, unpublish, assign, withdraw, assignments, audit]
