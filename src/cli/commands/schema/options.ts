import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
import { EXTENSION_OPTIONS } from '../../options/extension.ts'

export const OPTIONS = {
  out: {
    kind: 'optional-text',
    group: 'Output:',
    placeholder: 'FILE',
    implied: 'policy.schema.json',
    isOwn: true,
    summary: 'Write to FILE (default: policy.schema.json)',
  },
  ...EXTENSION_OPTIONS,
} as const satisfies OptionSpecs

export type SchemaInvocation = Invocation<OptionsOf<typeof OPTIONS>>
