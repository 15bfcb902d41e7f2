import { type Command, defineCommand } from '../../command.ts'
import { OPTIONS } from './options.ts'

/** `driftgate fixes`: what can be undone. */
export const fixes: Command = defineCommand({
  name: 'fixes',
  summary: 'List fixes that can be undone, or show one',
  details: `fixes           The fixes with their resources, the latest first
fixes show RUN  What a fix changed, and what of it can be undone now

A fix keeps what it replaces in the state directory, for its owner alone: /var/lib/driftgate/undo for root,
driftgate/undo below XDG_STATE_HOME (~/.local/state) for everybody else, or the directory of --state-dir.

Exit codes
  0  the fixes were listed or shown
  1  wrong usage, or what is kept cannot be read`,
  operands: {
    name: 'RUN',
    actions: ['show'],
    summary: 'the beginning of the id of a fix',
    atLeast: 0,
    atMost: 2,
  },
  options: OPTIONS,
  examples: [
    { command: 'driftgate fixes', summary: 'When something was fixed, what, and how much is kept' },
    { command: 'driftgate fixes show 0f9cbd4e', summary: 'What it changed, and what can still be undone' },
    { command: "driftgate fixes --json | jq -r '.[0].run'", summary: 'The id of the newest' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runFixes(invocation, io),
})
