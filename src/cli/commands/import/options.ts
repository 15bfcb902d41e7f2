import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
import { INPUT_OPTIONS } from '../../options/input.ts'

export const OPTIONS = {
  output: {
    kind: 'value',
    group: 'Output:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Write to this new file instead of standard output',
  },
  approver: {
    kind: 'value',
    group: 'Waivers:',
    placeholder: 'NAME',
    summary: 'Approver of the waivers (not part of InSpec files)',
  },
  expires: {
    kind: 'value',
    group: 'Waivers:',
    placeholder: 'DAY',
    summary: 'Expiry date of waivers without one, as YYYY-MM-DD',
  },
  ...INPUT_OPTIONS,
} as const satisfies OptionSpecs

export type ImportInvocation = Invocation<OptionsOf<typeof OPTIONS>>
