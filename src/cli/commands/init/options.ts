import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'

export const OPTIONS = {
  output: {
    kind: 'value',
    group: 'Output:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Write to this file with mode 0600 (default: policy.yaml)',
  },
  print: { kind: 'flag', group: 'Output:', summary: 'Print the policy and write no file' },
  force: { kind: 'flag', group: 'Output:', summary: 'Replace an existing file' },
} as const satisfies OptionSpecs

export type InitInvocation = Invocation<OptionsOf<typeof OPTIONS>>
