import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
import { INPUT_OPTIONS } from '../../options/input.ts'

/** The options of `driftgate import`. */
export const OPTIONS = {
  output: {
    kind: 'value',
    group: 'Output:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Write to this file, which must not be there yet, and not to standard output',
  },
  approver: {
    kind: 'value',
    group: 'Waivers:',
    placeholder: 'NAME',
    summary: 'Who accepted what is waived; InSpec does not tell',
  },
  expires: {
    kind: 'value',
    group: 'Waivers:',
    placeholder: 'DAY',
    summary: 'The last day, as YYYY-MM-DD, of waivers that have none',
  },
  ...INPUT_OPTIONS,
} as const satisfies OptionSpecs

/** What `driftgate import` is asked to do. */
export type ImportInvocation = Invocation<OptionsOf<typeof OPTIONS>>
