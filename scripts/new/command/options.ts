import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'

/** The options of `driftgate __command__`. Parsing, help and completion follow from them. */
export const OPTIONS = {
  json: { kind: 'flag', group: 'Output:', summary: 'Print JSON for programs' },
} as const satisfies OptionSpecs

/** What `driftgate __command__` is asked to do. */
export type __Name__Invocation = Invocation<OptionsOf<typeof OPTIONS>>
