import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
import { durationComplaint } from '../../options/duration.ts'
import { SCAN_OPTIONS } from '../../options/scan.ts'

const own = {
  every: {
    kind: 'value',
    group: 'Watch:',
    placeholder: 'DURATION',
    summary: 'Scan at the start and then again and again, this far apart: 15m, 1h30m',
    complain: durationComplaint(1),
  },
  cron: {
    kind: 'value',
    group: 'Watch:',
    placeholder: 'EXPR',
    summary:
      'Scan at the start and then at these times, as crontab says it, seconds first if there are six: "0 3 * * *"',
  },
  'ccm-config': {
    kind: 'value',
    group: 'Watch:',
    placeholder: 'FILE',
    holds: 'path',
    summary: "Audit what CCM's agent with this configuration would apply, at its interval and with its data",
  },
  jitter: {
    kind: 'value',
    group: 'Watch:',
    placeholder: 'DURATION',
    summary: 'Let each scan but the first wait for a random part of this time',
    complain: durationComplaint(0),
  },
  'run-timeout': {
    kind: 'value',
    group: 'Watch:',
    placeholder: 'DURATION',
    summary: 'Cut a scan that takes longer; 1h where none is named',
    complain: durationComplaint(1),
  },
  'on-change': {
    kind: 'value',
    group: 'Watch:',
    placeholder: 'COMMAND',
    summary: 'Run this in a shell when the state changed, with the comparison in JSON on its standard input',
  },
  metrics: {
    kind: 'value',
    group: 'Watch:',
    placeholder: 'FILE',
    holds: 'path',
    summary: "Keep a file up to date for the textfile collector of Prometheus' node exporter",
  },
} as const satisfies OptionSpecs

/** The options of `driftgate watch`, those of the scan among them. */
export const OPTIONS = { ...own, ...SCAN_OPTIONS }

/** Their values. */
export type WatchFlags = OptionsOf<typeof OPTIONS>

/** What `driftgate watch` is asked to do. */
export type WatchInvocation = Invocation<WatchFlags>
