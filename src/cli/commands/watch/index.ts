import { type Command, defineCommand, type Invocation, type OptionsOf, type OptionSpecs } from '../../command.ts'
import { POLICIES } from '../../options/policies.ts'
import { durationComplaint } from '../../options/duration.ts'
import { SCAN_OPTIONS } from '../../options/scan.ts'

const own = {
  every: {
    kind: 'value',
    group: 'Watch:',
    placeholder: 'DURATION',
    summary: 'Scan at start and then at this interval, such as 15m or 1h30m',
    complain: durationComplaint(1),
  },
  cron: {
    kind: 'value',
    group: 'Watch:',
    placeholder: 'EXPR',
    summary: 'Scan at start and then at these times in crontab syntax: "0 3 * * *"',
  },
  'ccm-config': {
    kind: 'value',
    group: 'Watch:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Audit the manifests of a CCM agent configuration',
  },
  jitter: {
    kind: 'value',
    group: 'Watch:',
    placeholder: 'DURATION',
    summary: 'Random delay before each scan but the first',
    complain: durationComplaint(0),
  },
  'run-timeout': {
    kind: 'value',
    group: 'Watch:',
    placeholder: 'DURATION',
    summary: 'Time limit of a scan (default: 1h)',
    complain: durationComplaint(1),
  },
  'on-change': {
    kind: 'value',
    group: 'Watch:',
    placeholder: 'COMMAND',
    summary: 'Run this shell command on changes, with the comparison on stdin',
  },
  metrics: {
    kind: 'value',
    group: 'Watch:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Write metrics for the textfile collector of node_exporter',
  },
} as const satisfies OptionSpecs

const OPTIONS = { ...own, ...SCAN_OPTIONS }

export type WatchFlags = OptionsOf<typeof OPTIONS>

export type WatchInvocation = Invocation<WatchFlags>

export const watch: Command = defineCommand({
  name: 'watch',
  summary: 'Scan repeatedly in the foreground and report changes',
  details: `All other options are those of "driftgate scan". Each scan is a separate process that reads the policies again.
Scans do not overlap: a scan that is due while another one runs is skipped.

Standard error gets a line for each scan; standard output gets the report of the first one and then the changes,
or with --report FORMAT the report of each scan.

With --ccm-config the policies are the manifests of that agent; options on the command line override the file.
Settings that do not apply to an audit are reported at the start.

Exit codes
  0  ended by SIGTERM or SIGINT; a running scan has finished and written its reports
  1  wrong usage, or the first scan did not run`,
  operands: { ...POLICIES, atLeast: 0 },
  options: OPTIONS,
  examples: [
    { command: 'driftgate watch /policies --every 15m', summary: 'Watch policies in a container' },
    {
      command: 'driftgate watch web.yaml --cron "0 3 * * *" --jitter 10m --metrics /metrics/driftgate.prom',
      summary: 'Scan every night with Prometheus metrics',
    },
    {
      command: 'driftgate watch --ccm-config /etc/choria/ccm/config.yaml --trusted',
      summary: 'Audit the manifests of the CCM agent',
    },
    {
      command: `driftgate watch web.yaml --every 1h --on-change 'curl -fsS --json @- https://hooks.example.com/drift'`,
      summary: 'Run a command on changes',
    },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runWatch(invocation, io),
})
