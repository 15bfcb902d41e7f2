import { type Command, defineCommand, type OptionsOf, type OptionSpecs } from '../../command.ts'
import { durationComplaint } from '../../options/duration.ts'
import { POLICIES } from '../../options/policies.ts'
import { SCAN_OPTIONS } from '../scan/index.ts'

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

const options = { ...own, ...SCAN_OPTIONS }

/** The options of `driftgate watch`, those of its scans among them. */
export type WatchFlags = OptionsOf<typeof options>

/** `driftgate watch`: scans again and again in the foreground, as containers want it. */
export const watch: Command = defineCommand({
  name: 'watch',
  summary: 'Scan again and again in the foreground, and say what changed',
  details: `Every other option is one of "driftgate scan". Each scan is a process of its own that reads the policies
afresh. No two run at once: a time that comes while one is still running is left out.

Standard error gets a line for each scan; standard output the report of the first one, and then what
changed, or with --report FORMAT that report of each scan.

Exit codes
  0  ended by SIGTERM or SIGINT: a scan that was running has ended and written its reports
  1  wrong usage, or the first scan could not be performed`,
  operands: POLICIES,
  options,
  examples: [
    { command: 'driftgate watch /policies --every 15m', summary: 'In a container' },
    {
      command: 'driftgate watch web.yaml --cron "0 3 * * *" --jitter 10m --metrics /metrics/driftgate.prom',
      summary: 'Every night, for Prometheus',
    },
    {
      command: `driftgate watch web.yaml --every 1h --on-change 'curl -fsS --json @- https://hooks.example.com/drift'`,
      summary: 'Tell somebody',
    },
  ],
  async run({ operands, options: flags, said }, io) {
    const { performWatch } = await import('./run.ts')
    return performWatch({ sources: operands, flags, said }, io)
  },
})
