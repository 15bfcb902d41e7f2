import { type Command, defineCommand } from '../../command.ts'
import { limitsOf } from '../../options/input.ts'
import { POLICY } from '../../options/policies.ts'
import { OPTIONS } from './options.ts'

export const data: Command = defineCommand({
  name: 'data',
  summary: 'Print the resolved data of a policy, with origins on request',
  details:
    'The data of the policy with the overrides its hierarchy chooses on this machine, --data and --set, in YAML.\n' +
    'With --trace each value is followed by its origin: data, overrides.KEY, --data FILE, or --set KEY.\n' +
    'With --parameters the keys that a site can set are described, each with the controls that read it.',
  operands: POLICY,
  options: OPTIONS,
  examples: [
    { command: 'driftgate data @cis-debian-12 --parameters', summary: 'List what a site can set in a benchmark' },
    { command: 'driftgate data web.yaml --trace', summary: 'Show the origin of every value' },
    { command: 'driftgate data web.yaml --data production.yaml --set port=8443', summary: 'Resolve with a data file' },
    { command: "driftgate data web.yaml --json | jq '.port'", summary: 'Set one value' },
  ],
  limits: ({ operands, options }) => limitsOf(operands, options),
  run: async (invocation, io) => (await import('./run.ts')).runData(invocation, io),
})
