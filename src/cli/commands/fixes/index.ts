import { type Command, defineCommand, type Invocation, type OptionsOf, type OptionSpecs } from '../../command.ts'
import { STATE_OPTIONS } from '../../options/state.ts'

const OPTIONS = {
  ...STATE_OPTIONS,
  json: { kind: 'flag', group: 'Output:', summary: 'Print JSON' },
} as const satisfies OptionSpecs

export type FixesInvocation = Invocation<OptionsOf<typeof OPTIONS>>

export const fixes: Command = defineCommand({
  name: 'fixes',
  summary: 'List fixes that can be undone, or show one',
  details: `fixes           List fixes with their resources, latest first
fixes show RUN  Show the changes of a fix and which of them can be undone

Undo data is stored in the state directory with mode 0700: /var/lib/driftgate/undo for root, driftgate/undo in
XDG_STATE_HOME (~/.local/state) for other users, or the directory of --state-dir.

Exit codes
  0  fixes listed or shown
  1  wrong usage, or undo data cannot be read`,
  operands: {
    name: 'RUN',
    actions: ['show'],
    summary: 'id of a fix, or the start of it',
    atLeast: 0,
    atMost: 2,
  },
  options: OPTIONS,
  examples: [
    { command: 'driftgate fixes', summary: 'List fixes and the size of their undo data' },
    { command: 'driftgate fixes show 0f9cbd4e', summary: 'Show the changes of a fix and which can be undone' },
    { command: "driftgate fixes --json | jq -r '.[0].run'", summary: 'Print the id of the latest fix' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runFixes(invocation, io),
})
