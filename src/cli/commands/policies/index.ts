import { type Command, defineCommand } from '../../command.ts'
import { OPTIONS } from './options.ts'

/** `driftgate policies`: the policies that ship, which every command takes by name. */
export const policies: Command = defineCommand({
  name: 'policies',
  summary: 'List the policies that ship, for @NAME',
  details: `Exit codes
  0  the policies were listed
  1  wrong usage, or the installation lacks its policies`,
  options: OPTIONS,
  examples: [
    { command: 'driftgate policies', summary: 'What can be scanned by name' },
    { command: 'driftgate scan @ssh', summary: 'Audit with one of them' },
    {
      command: "driftgate policies --json | jq -r '.[].path'",
      summary: 'Where they lie, to start one of your own from',
    },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runPolicies(invocation, io),
})
