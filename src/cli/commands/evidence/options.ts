import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'

/** What `driftgate evidence` can do. */
export const ACTIONS = ['key', 'verify'] as const

/** The options of `driftgate evidence`. */
export const OPTIONS = {
  key: {
    kind: 'list',
    group: 'Trust:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Trusted public key of the host for verify, a file or U... (repeatable)',
  },
} as const satisfies OptionSpecs

/** What `driftgate evidence` is asked to do. */
export type EvidenceInvocation = Invocation<OptionsOf<typeof OPTIONS>>
