import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
import { BUNDLE_OPTIONS } from '../../options/bundle.ts'
import { CARRY_OPTIONS } from '../../options/carry.ts'
import { EXTENSION_OPTIONS } from '../../options/extension.ts'
import { AUDIT_OPTIONS, INPUT_OPTIONS, TRUST_OPTIONS } from '../../options/input.ts'
import { TARGET_OPTIONS } from '../../options/target.ts'

export const OPTIONS = {
  json: { kind: 'flag', group: 'Output:', summary: 'Print JSON' },
  ...TARGET_OPTIONS,
  ...CARRY_OPTIONS,
  ...AUDIT_OPTIONS,
  ...INPUT_OPTIONS,
  ...TRUST_OPTIONS,
  ...BUNDLE_OPTIONS,
  ...EXTENSION_OPTIONS,
} as const satisfies OptionSpecs

export type ExplainInvocation = Invocation<OptionsOf<typeof OPTIONS>>
