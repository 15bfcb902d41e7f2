import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
import { BUNDLE_OPTIONS } from '../../options/bundle.ts'
import { CARRY_OPTIONS } from '../../options/carry.ts'
import { EXTENSION_OPTIONS } from '../../options/extension.ts'
import { INPUT_OPTIONS, TRUST_OPTIONS } from '../../options/input.ts'
import { TARGET_OPTIONS } from '../../options/target.ts'

export const OPTIONS = {
  quiet: { kind: 'flag', alias: 'q', group: 'Output:', summary: 'Print problems only' },
  ccm: { kind: 'flag', group: 'Checks:', summary: 'Reject anything that CCM does not support or reads differently' },
  ...TARGET_OPTIONS,
  ...CARRY_OPTIONS,
  ...INPUT_OPTIONS,
  ...TRUST_OPTIONS,
  ...BUNDLE_OPTIONS,
  ...EXTENSION_OPTIONS,
} as const satisfies OptionSpecs

export type ValidateInvocation = Invocation<OptionsOf<typeof OPTIONS>>
