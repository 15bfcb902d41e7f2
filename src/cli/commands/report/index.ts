import { type Command, defineCommand } from '../../command.ts'
import { OPTIONS } from './options.ts'

/** `driftgate report`: renders stored JSON reports again, several as one. */
export const report: Command = defineCommand({
  name: 'report',
  summary: 'Render JSON reports of earlier scans in any format, several of them as one',
  details:
    'Several reports, of several machines or policies, become one in which each policy says where it comes from.\n' +
    'Reports may be compressed with gzip; - is standard input. Exit code 0: the report was made, whatever it says.\n' +
    '3: it was made without reports that cannot be read, which are named. 1: none can be read, or it cannot be written.',
  operands: {
    name: 'FORMAT[=PATH]',
    others: ['drift.json'],
    summary: 'a format as in "scan --report", then JSON reports of earlier scans',
    atLeast: 2,
    atMost: Number.POSITIVE_INFINITY,
  },
  options: OPTIONS,
  examples: [
    { command: 'driftgate report text reports/drift.json', summary: 'Read a report again' },
    { command: 'driftgate report junit=all.xml web01.json web02.json', summary: 'One JUnit file for several machines' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runReport(invocation, io),
})
