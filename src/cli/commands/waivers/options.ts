import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
import { CONFIG_OPTIONS } from '../../options/extension.ts'
import { WAIVER_RULES } from '../../options/waiver.ts'

/** The options of `driftgate waivers`. */
export const OPTIONS = {
  json: { kind: 'flag', group: 'Output:', summary: 'Print the list as JSON' },
  ...WAIVER_RULES,
  ...CONFIG_OPTIONS,
} as const satisfies OptionSpecs

/** What `driftgate waivers` is asked to do. */
export type WaiversInvocation = Invocation<OptionsOf<typeof OPTIONS>>
