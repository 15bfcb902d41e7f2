import { STATE_OPTIONS } from '../../options/state.ts'
import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'

export const OPTIONS = {
  ...STATE_OPTIONS,
  json: { kind: 'flag', group: 'Output:', summary: 'Print JSON' },
} as const satisfies OptionSpecs

export type FixesInvocation = Invocation<OptionsOf<typeof OPTIONS>>
