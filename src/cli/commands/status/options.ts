import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
import { EXTENSION_OPTIONS } from '../../options/extension.ts'

/** The options of `driftgate status`. */
export const OPTIONS = {
  json: { kind: 'flag', group: 'Output:', summary: 'Print JSON' },
  ...EXTENSION_OPTIONS,
} as const satisfies OptionSpecs

/** What `driftgate status` is asked to do. */
export type StatusInvocation = Invocation<OptionsOf<typeof OPTIONS>>
