import { type Command, defineCommand } from '../../command.ts'
import { OPTIONS } from './options.ts'

/** `driftgate undo`: undoes a fix. */
export const undo: Command = defineCommand({
  name: 'undo',
  summary: 'Undo a fix: restore what it replaced',
  details: `Without RUN it is the latest fix; a script has to say so with --latest where several could be meant. A latest fix that changed nothing leaves nothing to undo: no
older fix is taken for it. The last change is reverted first. What was changed since the fix stays as it is and is reported
as a conflict, with what it was before the fix, after it, and now; the rest goes on. An undo is journalled as a fix is: one
that was killed goes on with the same command, and it can be undone itself.

Exit codes
  0  everything is as it was before the fix; with --dry-run it would be
  1  there is no such fix, or it cannot be undone now
  4  a conflict, a failure, or something to do by hand
  129, 130, 143  interrupted by SIGHUP, SIGINT, SIGTERM; "driftgate undo RUN" goes on`,
  operands: { name: 'RUN', summary: 'the beginning of the id of a fix', atLeast: 0, atMost: 1 },
  options: OPTIONS,
  examples: [
    { command: 'driftgate undo --latest', summary: 'Undo the latest fix' },
    { command: 'driftgate undo --path /etc/ssh/sshd_config', summary: 'Undo the latest change of a file' },
    { command: 'driftgate undo 0f9cbd4e --dry-run', summary: 'Show what would be restored' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runUndo(invocation, io),
})
