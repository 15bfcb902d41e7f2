import { type Command, defineCommand } from '../../command.ts'
import { limitsOf } from '../../options/input.ts'
import { POLICY } from '../../options/policies.ts'
import { OPTIONS } from './options.ts'

export const render: Command = defineCommand({
  name: 'render',
  summary: 'Print a policy with data, names and templates resolved',
  details:
    'What is printed is a policy that scans to the same result without facts, hierarchy and flags. Resources that\n' +
    'control rules out stay, behind a condition that is false. A resource whose templates fail stays as it is written,\n' +
    'with a warning. Data marked @sensitive and values of sensitive resources are left out: the output then needs\n' +
    'them from --data or --set, and a scan without them says which are missing. --show-secrets writes them.',
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
