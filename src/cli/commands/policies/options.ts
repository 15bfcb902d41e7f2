import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'

export const OPTIONS = {
  coverage: { kind: 'flag', group: 'Output:', summary: 'With "show": list the recommendations without a control' },
  json: { kind: 'flag', group: 'Output:', summary: 'Print JSON' },
} as const satisfies OptionSpecs

export type PoliciesInvocation = Invocation<OptionsOf<typeof OPTIONS>>
