import { type Command, defineCommand, type Invocation, type OptionsOf, type OptionSpecs } from '../../command.ts'
import { AGENT_OPTION } from '../../options/agent.ts'
import { durationComplaint } from '../../options/duration.ts'
import { AUDIT_OPTIONS, INPUT_OPTIONS } from '../../options/input.ts'
import { SCAN_OPTIONS } from '../../options/scan.ts'
import { WAIVER_OPTIONS } from '../../options/waiver.ts'

const own = {
  ...AGENT_OPTION,
  history: {
    kind: 'value',
    group: 'Agent:',
    placeholder: 'DIR',
    holds: 'path',
    summary: 'Directory of saved runs (default: agent/history in the state dir)',
  },
  keep: {
    ...SCAN_OPTIONS.keep,
    group: 'Agent:',
    summary: 'Number or age of saved runs, such as 500 or 30d (default: 90d)',
  },
  once: { kind: 'flag', group: 'Agent:', summary: 'Fetch assignments, scan, send and exit' },
  splay: {
    kind: 'value',
    group: 'Agent:',
    placeholder: 'DURATION',
    summary: 'Random delay for work that all hosts start at once (default: 5m)',
    complain: durationComplaint(0),
  },
  'run-timeout': {
    kind: 'value',
    group: 'Agent:',
    placeholder: 'DURATION',
    summary: 'Time limit of a scan (default: 1h)',
    complain: durationComplaint(1),
  },
  metrics: {
    kind: 'value',
    group: 'Agent:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Write metrics for the textfile collector of node_exporter',
  },
  unit: {
    kind: 'flag',
    group: 'Agent:',
    summary: 'Print a systemd unit that runs the agent with these options',
  },
} as const satisfies OptionSpecs

/** Options passed to each scan of the agent. */
export const HANDED_ON = { ...INPUT_OPTIONS, ...AUDIT_OPTIONS, ...WAIVER_OPTIONS } as const satisfies OptionSpecs

export const OPTIONS = { ...own, ...HANDED_ON }

export type AgentInvocation = Invocation<OptionsOf<typeof OPTIONS>>

export const agent: Command = defineCommand({
  name: 'agent',
  summary: 'Run as an agent: scan assigned policies and send the results',
  details: `Assignments come from the fleet server and must be signed by the operator. While the server is away, the last
verified assignment stays in force, scans continue, and runs are sent later. A host without an assignment waits.

Each scan is a separate process. Standard error gets a line for each scan and for each change of the connection.
Runs are saved before they are sent, and signed with the key of the host.

Exit codes
  0  ended by SIGTERM or SIGINT; with --once a scan was performed, with any result
  1  wrong usage, or the host has not joined a fleet; with --once, nothing is assigned or the scan did not run`,
  options: OPTIONS,
  examples: [
    { command: 'driftgate agent', summary: 'Run in the foreground, as the unit driftgate-agent does' },
    { command: 'driftgate agent --once', summary: 'Run once, for cron' },
    {
      command: 'driftgate agent --unit > /etc/systemd/system/driftgate-agent.service',
      summary: 'Print the unit where no package installs it',
    },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runAgent(invocation, io),
})
