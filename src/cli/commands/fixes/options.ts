import { STATE_OPTIONS } from '../../options/state.ts'
import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'

/** The options of `driftgate fixes`. Parsing, help and completion follow from them. */
export const OPTIONS = {
  ...STATE_OPTIONS,
  json: { kind: 'flag', group: 'Output:', summary: 'Print JSON' },
} as const satisfies OptionSpecs

/** What `driftgate fixes` is asked to do. */
export type FixesInvocation = Invocation<OptionsOf<typeof OPTIONS>>
