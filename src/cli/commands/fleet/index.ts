import { type Command, defineCommand } from '../../command.ts'
import { evidence } from './evidence.ts'
import { ASSIGNING } from './assigning.ts'
import { KEEPING } from './keeping.ts'
import { MEMBERS } from './members.ts'
import { ACTIONS, OPTIONS } from './options.ts'
import { ORDERING } from './order.ts'
import { rollout } from './rollout.ts'
import { size } from './size.ts'

/** `driftgate fleet`: how many hosts stand, and which of them are missing. */
export const fleet: Command = defineCommand({
  name: 'fleet',
  summary: 'Show how many hosts stand: who drifts, who is missing, since when',
  details: `What to show
  status    Is the fleet fine, what is the worst, who is missing
  hosts     A line for each host, the gravest first
  controls  A line for each control, worst first, with the hosts where it is open
  silent    The hosts of which nobody knows how they stand, and why
  gate      Says in its exit code whether all hosts are fine
  export    Every finding of every host as a line of JSON
  serve     A web view of all that, live, until SIGTERM
  token     A token for somebody who may look: itself on standard error, its line for --tokens on standard output

A host is late after one interval and 15 minutes, and silent after two. Silent hosts, those that never
reported, those that report about an older policy, and those in whose place another host's report lies
are undecided, whatever they said last. "driftgate scan --history" stores reports.

Exit codes
  0  the fleet was shown, whatever it is like; with gate all hosts are fine
  1  the reports or the roster cannot be read
  2  with gate: a host drifts
  3  with gate: none does, but of some host nobody knows how it stands, or a report cannot be used
  5  with gate: there is no host`,
  operands: {
    name: 'ACTION',
    choices: ACTIONS,
    summary: 'what to show; status where it is absent',
    atLeast: 0,
    atMost: 1,
  },
  options: OPTIONS,
  subcommands: [evidence, rollout, size, ...MEMBERS, ...KEEPING, ...ASSIGNING, ...ORDERING],
  examples: [
    { command: 'driftgate fleet --from /srv/reports', summary: 'How the hosts stand that store their runs there' },
    {
      command: 'driftgate fleet silent --from /srv/reports --roster hosts.yaml',
      summary: 'Who should have reported and has not',
    },
    {
      command: 'driftgate fleet gate --from reports --roster hosts.yaml --fail-on high',
      summary: 'A step of a pipeline that fails where a host drifts badly, or is missing',
    },
    { command: 'driftgate fleet serve --from /srv/reports --roster hosts.yaml', summary: 'The same in a browser' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runFleet(invocation, io),
})
