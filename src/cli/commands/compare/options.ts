import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'

/** The options of `driftgate compare`. */
export const OPTIONS = {
  format: {
    kind: 'text',
    group: 'Output:',
    placeholder: 'FORMAT',
    choices: ['text', 'json', 'markdown'],
    default: 'text',
    summary: 'For people, for programs by schemas/comparison.schema.json, or for a pull request',
  },
  verbose: { kind: 'flag', alias: 'v', group: 'Output:', summary: 'List what is unchanged, too' },
} as const satisfies OptionSpecs

/** What `driftgate compare` is asked to do. */
export type CompareInvocation = Invocation<OptionsOf<typeof OPTIONS>>
