import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'

/** The options of `driftgate compare`. */
export const OPTIONS = {
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

/** What `driftgate compare` is asked to do. */
export type CompareInvocation = Invocation<OptionsOf<typeof OPTIONS>>
