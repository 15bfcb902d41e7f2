import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
import { CARRY_OPTIONS } from '../../options/carry.ts'
import { CONFIG_OPTIONS } from '../../options/extension.ts'
import { FACT_OPTIONS } from '../../options/input.ts'
import { TARGET_OPTIONS } from '../../options/target.ts'

export const OPTIONS = {
  yaml: { kind: 'flag', group: 'Output:', summary: 'Print YAML instead of JSON' },
  ...TARGET_OPTIONS,
  ...CARRY_OPTIONS,
  ...FACT_OPTIONS,
  ...CONFIG_OPTIONS,
} as const satisfies OptionSpecs

export type FactsInvocation = Invocation<OptionsOf<typeof OPTIONS>>
