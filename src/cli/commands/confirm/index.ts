import { type Command, defineCommand } from '../../command.ts'
import { OPTIONS } from './options.ts'

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
