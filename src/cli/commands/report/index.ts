import { defineCommand, type Command } from '../../command.ts'
import { EXTENSION_OPTIONS, loadExtensions } from '../../options/extension.ts'
import { deliverReports, openReports } from '../../output/deliver.ts'
import { REPORT_MODE, reportMode } from '../../options/report-mode.ts'
import { parseRequest } from '../../output/report-requests.ts'

/** `driftgate report`: renders stored JSON reports again, several as one. */
export const report: Command = defineCommand({
  name: 'report',
  summary: 'Render JSON reports of earlier scans in any format, several of them as one',
  details:
    'Several reports, of several machines or policies, become one in which each policy says where it comes from.\n' +
    'Reports may be compressed with gzip; - is standard input. Exit code 0: the report was made, whatever it says.\n' +
    '1: a report cannot be read or written.',
  operands: {
    name: 'FORMAT[=PATH]',
    others: ['drift.json'],
    summary: 'a format as in "scan --report", then JSON reports of earlier scans',
    atLeast: 2,
    atMost: Number.POSITIVE_INFINITY,
  },
  options: {
    verbose: { kind: 'flag', alias: 'v', group: 'Output:', summary: 'List what is compliant, too' },
    ...REPORT_MODE,
    plugin: EXTENSION_OPTIONS.plugin,
  },
  examples: [
    { command: 'driftgate report text reports/drift.json', summary: 'Read a report again' },
    { command: 'driftgate report junit=all.xml web01.json web02.json', summary: 'One JUnit file for several machines' },
  ],
  async run({ operands: [wanted = '', ...paths], options }, io) {
    const { reportFormats } = await loadExtensions(options)
    const request = parseRequest(wanted, reportFormats, 'report')
    const [{ readReports }, { mergeRuns }] = await Promise.all([
      import('../../../stored/read-reports.ts'),
      import('../../../findings/merge.ts'),
    ])
    const run = mergeRuns(await readReports(paths))
    const delivery = { io, quiet: false, verbose: options.verbose, isTold: false }
    return (await deliverReports(openReports([request], reportMode(options)), run, delivery)) ? 0 : 1
  },
})
