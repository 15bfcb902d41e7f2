import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'

/** The options of `driftgate new`. */
export const OPTIONS = {
  type: {
    kind: 'value',
    group: 'Output:',
    placeholder: 'NAME',
    summary: 'Name of the resource type (default: my.DIRECTORY)',
  },
} as const satisfies OptionSpecs

/** What `driftgate new` is asked to do. */
export type NewInvocation = Invocation<OptionsOf<typeof OPTIONS>>
