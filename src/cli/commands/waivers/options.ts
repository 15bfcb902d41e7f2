import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
import { CONFIG_OPTIONS } from '../../options/extension.ts'
import { WAIVER_RULES } from '../../options/waiver.ts'

export const OPTIONS = {
  json: { kind: 'flag', group: 'Output:', summary: 'Print the list as JSON' },
  ...WAIVER_RULES,
  ...CONFIG_OPTIONS,
} as const satisfies OptionSpecs

export type WaiversInvocation = Invocation<OptionsOf<typeof OPTIONS>>
