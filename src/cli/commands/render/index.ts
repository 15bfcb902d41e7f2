import { type Command, defineCommand, type Invocation, type OptionsOf, type OptionSpecs } from '../../command.ts'
import { limitsOf, SHOW_SECRETS } from '../../options/input.ts'
import { POLICY } from '../../options/policies.ts'
import { LOADING_OPTIONS } from '../../options/loading.ts'

const OPTIONS = {
  ...SHOW_SECRETS,
  ...LOADING_OPTIONS,
} as const satisfies OptionSpecs

export type RenderInvocation = Invocation<OptionsOf<typeof OPTIONS>>

export const render: Command = defineCommand({
  name: 'render',
  summary: 'Print a policy with data, names and templates resolved',
  details:
    'The output is a policy that scans to the same result without facts, hierarchy and flags. Resources whose condition\n' +
    'is false are kept under a constant false condition. A resource whose templates fail is printed unresolved, with a\n' +
    'warning. Data marked @sensitive and values of sensitive resources are omitted: scans then need them from --data or\n' +
    '--set, and name the missing ones. --show-secrets includes them.',
  operands: POLICY,
  options: OPTIONS,
  examples: [
    { command: 'driftgate render web.yaml', summary: 'Render a policy for this host' },
    {
      command: 'driftgate render web.yaml --fact role=web --set port=8443 > web01.yaml',
      summary: 'Write a policy for one host',
    },
  ],
  limits: ({ operands, options }) => limitsOf(operands, options),
  run: async (invocation, io) => (await import('./run.ts')).runRender(invocation, io),
})
