import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
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
