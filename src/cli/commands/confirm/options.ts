import { STATE_OPTIONS } from '../../options/state.ts'
import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'

export const OPTIONS = { ...STATE_OPTIONS } as const satisfies OptionSpecs

export type ConfirmInvocation = Invocation<OptionsOf<typeof OPTIONS>>
