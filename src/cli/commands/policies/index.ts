import { type Command, defineCommand } from '../../command.ts'
import { OPTIONS } from './options.ts'

/** `driftgate policies`: the policies that ship, which every command takes by name. */
export const policies: Command = defineCommand({
  name: 'policies',
  summary: 'List the policies that ship, for @NAME, or show one with the controls that it takes from a catalogue',
  details: `policies              The policies that ship
policies show POLICY  The text of a policy, @NAME or a file, composed with the controls of its catalogue

Exit codes
  0  the policies were listed, or the policy was shown
  1  wrong usage, the policy has mistakes, or the installation lacks its policies`,
  operands: { name: 'POLICY', actions: ['show'], summary: '@NAME or a file', atLeast: 0, atMost: 2 },
  options: OPTIONS,
  examples: [
    { command: 'driftgate policies', summary: 'What can be scanned by name' },
    { command: 'driftgate policies show @ssh', summary: 'Its controls with their resources' },
    { command: 'driftgate scan @ssh', summary: 'Audit with one of them' },
    {
      command: "driftgate policies --json | jq -r '.[].path'",
      summary: 'Where they lie, to start one of your own from',
    },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runPolicies(invocation, io),
})
