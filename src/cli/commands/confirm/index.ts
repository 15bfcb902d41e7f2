import { type Command, defineCommand, type Invocation, type OptionsOf, type OptionSpecs } from '../../command.ts'
import { STATE_OPTIONS } from '../../options/state.ts'

const OPTIONS = { ...STATE_OPTIONS } as const satisfies OptionSpecs

export type ConfirmInvocation = Invocation<OptionsOf<typeof OPTIONS>>

export const confirm: Command = defineCommand({
  name: 'confirm',
  summary: 'Confirm a pending fix, so that it is not reverted',
  details: `Without RUN, the only pending fix is confirmed.

Exit codes
  0  the fix is confirmed
  1  no such pending fix, or its deadline has passed`,
  operands: { name: 'RUN', summary: 'id of a fix, or the start of it', atLeast: 0, atMost: 1 },
  options: OPTIONS,
  examples: [
    { command: 'driftgate confirm', summary: 'Confirm the pending fix' },
    { command: 'driftgate fixes', summary: 'List pending fixes with their deadlines' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runConfirm(invocation, io),
})
