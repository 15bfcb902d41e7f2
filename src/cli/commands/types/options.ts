import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
import { EXTENSION_OPTIONS } from '../../options/extension.ts'

export const OPTIONS = {
  json: { kind: 'flag', group: 'Output:', summary: 'Print JSON' },
  ...EXTENSION_OPTIONS,
} as const satisfies OptionSpecs

export type TypesInvocation = Invocation<OptionsOf<typeof OPTIONS>>
