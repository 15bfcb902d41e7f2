import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'

/** `driftgate confirm` has no options of its own. */
export const OPTIONS = {} as const satisfies OptionSpecs

/** What `driftgate confirm` is asked to do. */
export type ConfirmInvocation = Invocation<OptionsOf<typeof OPTIONS>>
