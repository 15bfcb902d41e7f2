import { defineCommand, type Command } from '../../command.ts'
import { usageError } from '../../errors.ts'

/** `driftgate compare`: what is between two JSON reports, drift by drift. */
export const compare: Command = defineCommand({
  name: 'compare',
  summary: 'Say what changed between two JSON reports, and whether the policy or the machine did',
  details: `Each drift is new, changed (it has other values), unchanged, resolved, or incomparable: the resource was
not observed in the later run, so that nobody knows.

Exit codes
  0  nothing is new or changed
  1  the reports cannot be compared
  2  something is new or changed
  3  nothing is, but something is incomparable`,
  operands: {
    name: 'BEFORE',
    others: ['AFTER'],
    summary: 'the JSON report of the earlier run, then that of the later one',
    atLeast: 2,
    atMost: 2,
  },
  options: {
    format: {
      kind: 'text',
      group: 'Output:',
      placeholder: 'FORMAT',
      choices: ['text', 'json', 'markdown'],
      default: 'text',
      summary: 'For people, for programs by schemas/comparison.schema.json, or for a pull request',
    },
    verbose: { kind: 'flag', alias: 'v', group: 'Output:', summary: 'List what is unchanged, too' },
  },
  examples: [
    { command: 'driftgate compare monday.json tuesday.json', summary: 'What happened in between' },
    { command: 'driftgate compare main.json drift.json --format markdown', summary: 'For a comment on a change' },
  ],
  async run({ operands: [before = '', after = ''], options }, io) {
    if (before === '-' && after === '-') throw usageError('only one report can come from standard input', 'compare')
    const [{ readReports }, { printComparison }] = await Promise.all([
      import('../../../stored/read-reports.ts'),
      import('../../print-comparison.ts'),
    ])
    const [first, second = first] = await readReports([before, after])
    return printComparison(first, second, { ...options, io })
  },
})
