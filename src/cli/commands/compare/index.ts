import { type Command, defineCommand } from '../../command.ts'
import { OPTIONS } from './options.ts'

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
  3  nothing is, but something is incomparable, or a resource or policy cannot be judged any more`,
  operands: {
    name: 'BEFORE',
    others: ['AFTER'],
    summary: 'the JSON report of the earlier run, then that of the later one',
    atLeast: 2,
    atMost: 2,
  },
  options: OPTIONS,
  examples: [
    { command: 'driftgate compare monday.json tuesday.json', summary: 'What happened in between' },
    { command: 'driftgate compare main.json drift.json --format markdown', summary: 'For a comment on a change' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runCompare(invocation, io),
})
