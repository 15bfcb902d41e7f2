import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
import { CARRY_OPTIONS } from '../../options/carry.ts'
import { EXTENSION_OPTIONS } from '../../options/extension.ts'
import { TARGET_OPTIONS } from '../../options/target.ts'

export const OPTIONS = {
  json: { kind: 'flag', group: 'Output:', summary: 'Print JSON' },
  ...TARGET_OPTIONS,
  ...CARRY_OPTIONS,
  ...EXTENSION_OPTIONS,
} as const satisfies OptionSpecs

export type StatusInvocation = Invocation<OptionsOf<typeof OPTIONS>>
