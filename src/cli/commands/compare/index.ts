import { type Command, defineCommand, type Invocation, type OptionsOf, type OptionSpecs } from '../../command.ts'

const OPTIONS = {
  format: {
    kind: 'text',
    group: 'Output:',
    placeholder: 'FORMAT',
    choices: ['text', 'json', 'markdown'],
    default: 'text',
    summary: 'Output format (json: schemas/comparison.schema.json)',
  },
  verbose: { kind: 'flag', alias: 'v', group: 'Output:', summary: 'List unchanged drift' },
} as const satisfies OptionSpecs

export type CompareInvocation = Invocation<OptionsOf<typeof OPTIONS>>

export const compare: Command = defineCommand({
  name: 'compare',
  summary: 'Compare two JSON reports and show changed drift',
  details: `Each drift is new, changed (it has other values), unchanged, resolved, or incomparable: the resource was
not observed in the later run.

Exit codes
  0  no new or changed drift
  1  the reports cannot be compared
  2  new or changed drift
  3  no such drift, but incomparable results or resources that became unknown`,
  operands: {
    name: 'BEFORE',
    others: ['AFTER'],
    summary: 'the JSON reports of the earlier and the later run',
    atLeast: 2,
    atMost: 2,
  },
  options: OPTIONS,
  examples: [
    { command: 'driftgate compare monday.json tuesday.json', summary: 'Compare two runs' },
    { command: 'driftgate compare main.json drift.json --format markdown', summary: 'Comment on a pull request' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runCompare(invocation, io),
})
