import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
import { BUNDLE_OPTIONS } from '../../options/bundle.ts'
import { EXTENSION_OPTIONS } from '../../options/extension.ts'
import { INPUT_OPTIONS, SHOW_SECRETS, TRUST_OPTIONS } from '../../options/input.ts'

export const OPTIONS = {
  trace: { kind: 'flag', group: 'Output:', summary: 'Print the origin of every value' },
  parameters: {
    kind: 'flag',
    group: 'Output:',
    summary: 'Describe the parameters: meaning, accepted values, controls',
  },
  json: { kind: 'flag', group: 'Output:', summary: 'Print JSON' },
  ...SHOW_SECRETS,
  ...INPUT_OPTIONS,
  ...TRUST_OPTIONS,
  ...BUNDLE_OPTIONS,
  ...EXTENSION_OPTIONS,
} as const satisfies OptionSpecs

export type DataInvocation = Invocation<OptionsOf<typeof OPTIONS>>
