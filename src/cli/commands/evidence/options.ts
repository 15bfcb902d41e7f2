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
    summary:
      'With verify: a public key that you have from the host itself, a file or U... as a roster has it; repeat it where the key was changed',
  },
} as const satisfies OptionSpecs

/** What `driftgate evidence` is asked to do. */
export type EvidenceInvocation = Invocation<OptionsOf<typeof OPTIONS>>
