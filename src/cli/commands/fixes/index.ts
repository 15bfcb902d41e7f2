import { type Command, defineCommand } from '../../command.ts'
import { OPTIONS } from './options.ts'

/** `driftgate fixes`: what can be taken back. */
export const fixes: Command = defineCommand({
  name: 'fixes',
  summary: 'List the fixes of this machine that can be taken back',
  details: `A fix keeps what it replaces in the state directory, for its owner alone: /var/lib/driftgate/undo for root,
driftgate/undo below XDG_STATE_HOME (~/.local/state) for everybody else.

Exit codes
  0  the fixes were listed
  1  wrong usage, or what is kept cannot be read`,
  options: OPTIONS,
  examples: [
    { command: 'driftgate fixes', summary: 'When something was fixed, what, and how much is kept' },
    { command: "driftgate fixes --json | jq -r '.[0].run'", summary: 'The id of the newest' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runFixes(invocation, io),
})
