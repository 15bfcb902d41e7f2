import { type Command, defineCommand, type Invocation, type OptionsOf, type OptionSpecs } from '../../command.ts'
import { EXTENSION_OPTIONS } from '../../options/extension.ts'
import { DETAILS, REPORT_MODE } from '../../options/report-mode.ts'

const OPTIONS = {
  verbose: { kind: 'flag', alias: 'v', group: 'Output:', summary: 'List compliant resources' },
  ...DETAILS,
  ...REPORT_MODE,
  plugin: EXTENSION_OPTIONS.plugin,
} as const satisfies OptionSpecs

export type ReportInvocation = Invocation<OptionsOf<typeof OPTIONS>>

export const report: Command = defineCommand({
  name: 'report',
  summary: 'Render one or more JSON reports in any format',
  details:
    'Reports of several hosts or policies are merged; each policy shows its origin.\n' +
    'Reports may be compressed with gzip; - is standard input. Exit code 0: the report was written.\n' +
    '3: unreadable reports were named and skipped. 1: no report can be read, or the output cannot be written.',
  operands: {
    name: 'FORMAT[=PATH]',
    others: ['drift.json'],
    summary: 'a format of "scan --report", then JSON reports',
    atLeast: 2,
    atMost: Number.POSITIVE_INFINITY,
  },
  options: OPTIONS,
  examples: [
    { command: 'driftgate report text reports/drift.json', summary: 'Render a report as text' },
    {
      command: 'driftgate report junit=all.xml web01.json web02.json',
      summary: 'Write one JUnit file for several hosts',
    },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runReport(invocation, io),
})
