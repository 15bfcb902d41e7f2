import { type Command, defineCommand, type Invocation, type OptionsOf, type OptionSpecs } from '../../command.ts'
import { limitsOf, SHOW_SECRETS } from '../../options/input.ts'
import { POLICY } from '../../options/policies.ts'
import { LOADING_OPTIONS } from '../../options/loading.ts'

const OPTIONS = {
  trace: { kind: 'flag', group: 'Output:', summary: 'Print the origin of every value' },
  parameters: {
    kind: 'flag',
    group: 'Output:',
    summary: 'Describe the parameters: meaning, accepted values, controls',
  },
  json: { kind: 'flag', group: 'Output:', summary: 'Print JSON' },
  ...SHOW_SECRETS,
  ...LOADING_OPTIONS,
} as const satisfies OptionSpecs

export type DataInvocation = Invocation<OptionsOf<typeof OPTIONS>>

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
