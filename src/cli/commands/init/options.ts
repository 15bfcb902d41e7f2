import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'

/** The options of `driftgate init`. Parsing, help and completion follow from them. */
export const OPTIONS = {
  output: {
    kind: 'value',
    group: 'Output:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Write to this file, which only its owner can read; "policy.yaml" where none is named',
  },
  print: { kind: 'flag', group: 'Output:', summary: 'Print it, and write no file' },
  force: { kind: 'flag', group: 'Output:', summary: 'Replace the file where it is there already' },
} as const satisfies OptionSpecs

/** What `driftgate init` is asked to do. */
export type InitInvocation = Invocation<OptionsOf<typeof OPTIONS>>
