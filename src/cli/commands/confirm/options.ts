import { STATE_OPTIONS } from '../../options/state.ts'
import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'

/** The options of `driftgate confirm`. Parsing, help and completion follow from them. */
export const OPTIONS = { ...STATE_OPTIONS } as const satisfies OptionSpecs

/** What `driftgate confirm` is asked to do. */
export type ConfirmInvocation = Invocation<OptionsOf<typeof OPTIONS>>
