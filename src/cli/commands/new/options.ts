import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'

export const OPTIONS = {
  type: {
    kind: 'value',
    group: 'Output:',
    placeholder: 'NAME',
    summary: 'Name of the resource type (default: my.DIRECTORY)',
  },
} as const satisfies OptionSpecs

export type NewInvocation = Invocation<OptionsOf<typeof OPTIONS>>
