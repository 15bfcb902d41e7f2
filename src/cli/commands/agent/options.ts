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
    summary:
      'Where runs are stored until they are sent, and stay; agent/history in the state directory where it is absent',
  },
  keep: {
    ...SCAN_OPTIONS.keep,
    group: 'Agent:',
    summary: 'How many runs stay there, or for how long, such as 500 or 30d; 90d where it is absent',
  },
  once: { kind: 'flag', group: 'Agent:', summary: 'Ask, scan, send and end' },
  splay: {
    kind: 'value',
    group: 'Agent:',
    placeholder: 'DURATION',
    summary: 'Let what all hosts are told at once wait for a random part of this time; 5m where it is absent',
    complain: durationComplaint(0),
  },
  'run-timeout': {
    kind: 'value',
    group: 'Agent:',
    placeholder: 'DURATION',
    summary: 'Cut a scan that takes longer; 1h where it is absent',
    complain: durationComplaint(1),
  },
  metrics: {
    kind: 'value',
    group: 'Agent:',
    placeholder: 'FILE',
    holds: 'path',
    summary: "Keep a file up to date for the textfile collector of Prometheus' node exporter",
  },
  unit: {
    kind: 'flag',
    group: 'Agent:',
    summary: 'Print the systemd unit that runs the agent as it is installed here with these options, and end',
  },
} as const satisfies OptionSpecs

/** What each scan of the agent is told, too. */
export const HANDED_ON = { ...INPUT_OPTIONS, ...AUDIT_OPTIONS, ...WAIVER_OPTIONS } as const satisfies OptionSpecs

/** The options of `driftgate agent`. */
export const OPTIONS = { ...own, ...HANDED_ON }

/** What `driftgate agent` is asked to do. */
export type AgentInvocation = Invocation<OptionsOf<typeof OPTIONS>>
