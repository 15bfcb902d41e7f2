import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
import { EXTENSION_OPTIONS } from '../../options/extension.ts'
import { STATE_OPTIONS } from '../../options/state.ts'

/** The options of `driftgate doctor`. */
export const OPTIONS = {
  json: { kind: 'flag', group: 'Output:', summary: 'Print JSON' },
  ...STATE_OPTIONS,
  plugin: EXTENSION_OPTIONS.plugin,
} as const satisfies OptionSpecs

/** What `driftgate doctor` is asked to do. */
export type DoctorInvocation = Invocation<OptionsOf<typeof OPTIONS>>
