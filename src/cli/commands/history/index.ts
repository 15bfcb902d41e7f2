import { type Command, defineCommand } from '../../command.ts'
import { ACTIONS, OPTIONS } from './options.ts'

export const history: Command = defineCommand({
  name: 'history',
  summary: 'List saved runs with their trend, show one, or compare two',
  details: `history list         List runs with their counts and trend (default)
history show RUN     Show the report of a run in any format
history diff RUN RUN Compare two runs

--host, --policy and --since also limit RUN. "driftgate scan --history" saves runs. Damaged files are reported
on standard error and skipped.

Exit codes
  0  runs listed or shown; with diff, no new or changed drift
  1  a run does not exist or cannot be read
  2  with diff, new or changed drift
  3  with diff, no such drift, but incomparable results`,
  operands: {
    name: 'RUN',
    actions: ACTIONS,
    summary: 'the start of an id, latest, or latest~1 for the one before',
    atLeast: 0,
    atMost: 3,
  },
  options: OPTIONS,
  examples: [
    { command: 'driftgate history', summary: 'List recent runs' },
    { command: 'driftgate history show latest --report html=drift.html', summary: 'Render the latest run as HTML' },
    { command: 'driftgate history diff latest~1 latest', summary: 'Compare the two latest runs' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runHistory(invocation, io),
})
