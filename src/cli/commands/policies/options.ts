import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'

/** The options of `driftgate policies`. Parsing, help and completion follow from them. */
export const OPTIONS = {
  json: { kind: 'flag', group: 'Output:', summary: 'Print JSON' },
} as const satisfies OptionSpecs

/** What `driftgate policies` is asked to do. */
export type PoliciesInvocation = Invocation<OptionsOf<typeof OPTIONS>>
