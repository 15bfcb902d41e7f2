import { type Command, defineCommand } from '../../command.ts'
import { OPTIONS } from './options.ts'

/** `driftgate undo`: takes a fix back. */
export const undo: Command = defineCommand({
  name: 'undo',
  summary: 'Take a fix back: put what it replaced in its place again',
  details: `Without RUN it is the newest of "driftgate fixes". The last change is taken back first. What somebody has changed since the fix
stays as it is and is reported with both values, and the rest goes on. Taking back is a fix, too: "driftgate undo" right
after it takes that back.

Exit codes
  0  everything is as it was before the fix
  1  there is no such fix, or it cannot be taken back now
  4  something could not be taken back
  130, 143  interrupted by SIGINT, SIGTERM; "driftgate undo RUN" goes on`,
  operands: { name: 'RUN', summary: 'the beginning of the id of a fix', atLeast: 0, atMost: 1 },
  options: OPTIONS,
  examples: [
    { command: 'driftgate undo', summary: 'Take back the last fix' },
    { command: "driftgate undo --only 'file#/etc/ssh/*'", summary: 'Only what it changed there' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runUndo(invocation, io),
})
