import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
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

export const OPTIONS = { ...own, ...SCAN_OPTIONS }

export type WatchFlags = OptionsOf<typeof OPTIONS>

export type WatchInvocation = Invocation<WatchFlags>
