import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'

export const ACTIONS = ['key', 'verify'] as const

export const OPTIONS = {
  key: {
    kind: 'list',
    group: 'Trust:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Trusted public key of the host for verify, a file or U... (repeatable)',
  },
} as const satisfies OptionSpecs

export type EvidenceInvocation = Invocation<OptionsOf<typeof OPTIONS>>
