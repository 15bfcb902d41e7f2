import { type Command, defineCommand } from '../../command.ts'
import { OPTIONS } from './options.ts'

/** `driftgate confirm`: keeps a fix that would be taken back. */
export const confirm: Command = defineCommand({
  name: 'confirm',
  summary: 'Keep a fix that --confirm-within would take back',
  details: `Without RUN it is the only fix that waits to be confirmed.

Exit codes
  0  the fix stays
  1  no such fix waits, or it is too late`,
  operands: { name: 'RUN', summary: 'the beginning of the id of a fix', atLeast: 0, atMost: 1 },
  options: OPTIONS,
  examples: [
    { command: 'driftgate confirm', summary: 'The host still answers, so its repair stays' },
    { command: 'driftgate fixes', summary: 'What waits to be confirmed, and until when' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runConfirm(invocation, io),
})
