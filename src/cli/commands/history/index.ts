import { type Command, defineCommand } from '../../command.ts'
import { ACTIONS, OPTIONS } from './options.ts'

/** `driftgate history`: what scans with `--history` have stored. */
export const history: Command = defineCommand({
  name: 'history',
  summary: 'List stored runs with their trend, show one again, or compare two',
  details: `history list         The runs with their counts, and a line that shows how they went. The default
history show RUN     The report of a run, in any format
history diff RUN RUN What changed from the first run to the second

With --host, --policy and --since, RUN is one of the runs they choose. "driftgate scan --history"
stores runs. Damaged files are named on standard error and passed over.

Exit codes
  0  the runs were listed or shown, whatever they say; with diff nothing is new or changed
  1  a run is not there or cannot be read
  2  with diff: something is new or changed
  3  with diff: nothing is, but something is incomparable`,
  operands: {
    name: 'RUN',
    actions: ACTIONS,
    summary: 'the beginning of an id, latest, or latest~1 for the one before',
    atLeast: 0,
    atMost: 3,
  },
  options: OPTIONS,
  examples: [
    { command: 'driftgate history', summary: 'What scheduled audits have found lately' },
    { command: 'driftgate history show latest --report html=drift.html', summary: 'A page of the newest run' },
    { command: 'driftgate history diff latest~1 latest', summary: 'What is new since the run before' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runHistory(invocation, io),
})
