import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'

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

export type CompareInvocation = Invocation<OptionsOf<typeof OPTIONS>>
