import { type Command, defineCommand } from '../../command.ts'
import { evidence } from './evidence.ts'
import { ASSIGNING } from './assigning.ts'
import { KEEPING } from './keeping.ts'
import { MEMBERS } from './members.ts'
import { ACTIONS, OPTIONS } from './options.ts'
import { ORDERING } from './order.ts'
import { rollout } from './rollout.ts'
import { size } from './size.ts'

export const fleet: Command = defineCommand({
  name: 'fleet',
  summary: 'Show fleet status: drifted, silent and missing hosts',
  details: `What to show
  status    Show the fleet verdict, missing hosts and the worst controls
  hosts     List hosts, worst first
  controls  List controls, worst first, with the hosts that drift
  silent    List hosts without current results, with the reason
  gate      Set the exit code from the state of all hosts
  export    Print every finding as a line of JSON
  serve     Serve a live web view until SIGTERM
  token     Create an access token: printed on standard error, its line for --tokens on standard output

A host is late after one interval and 15 minutes, and silent after two intervals. Silent, missing, outdated and
forged hosts are unknown regardless of their last report. "driftgate scan --history" saves reports.

Exit codes
  0  status shown; with gate, all hosts report and comply
  1  reports or roster cannot be read
  2  with gate, at least one host drifted
  3  with gate, no drift, but unknown hosts or unusable reports
  5  with gate, no hosts`,
  operands: {
    name: 'ACTION',
    choices: ACTIONS,
    summary: 'what to show (default: status)',
    atLeast: 0,
    atMost: 1,
  },
  options: OPTIONS,
  subcommands: [evidence, rollout, size, ...MEMBERS, ...KEEPING, ...ASSIGNING, ...ORDERING],
  examples: [
    { command: 'driftgate fleet --from /srv/reports', summary: 'Show fleet status' },
    {
      command: 'driftgate fleet silent --from /srv/reports --roster hosts.yaml',
      summary: 'List silent and missing hosts',
    },
    {
      command: 'driftgate fleet gate --from reports --roster hosts.yaml --fail-on high',
      summary: 'Gate a pipeline on the fleet',
    },
    { command: 'driftgate fleet serve --from /srv/reports --roster hosts.yaml', summary: 'Serve the web view' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runFleet(invocation, io),
})
