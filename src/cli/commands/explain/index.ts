import { type Command, defineCommand, type Invocation, type OptionsOf, type OptionSpecs } from '../../command.ts'
import { AUDIT_OPTIONS, limitsOf } from '../../options/input.ts'
import { CARRY_OPTIONS } from '../../options/carry.ts'
import { LOADING_OPTIONS } from '../../options/loading.ts'
import { TARGET_OPTIONS } from '../../options/target.ts'

const OPTIONS = {
  json: { kind: 'flag', group: 'Output:', summary: 'Print JSON' },
  ...TARGET_OPTIONS,
  ...CARRY_OPTIONS,
  ...AUDIT_OPTIONS,
  ...LOADING_OPTIONS,
} as const satisfies OptionSpecs

export type ExplainInvocation = Invocation<OptionsOf<typeof OPTIONS>>

export const explain: Command = defineCommand({
  name: 'explain',
  summary: 'Explain one resource: origin of its values, drift and plan',
  details:
    'The resource is type#name, type#alias, or a unique name; in a child manifest "apply#x > type#name".\n' +
    'Shows its properties with the origin of each and the values that its templates read, its control,\n' +
    'dependencies in both directions, provider, and an audit of this resource alone. Nothing is changed,\n' +
    'and the resources that it requires are not evaluated.\n' +
    'Exit code 0: shown. 1: the policy is invalid, or the resource does not exist.',
  operands: {
    name: 'policy',
    others: ['resource'],
    summary: 'a policy file, a bundle (path or URL) or -, then the resource',
    atLeast: 2,
    atMost: 2,
    arePolicies: true,
  },
  options: OPTIONS,
  travels: true,
  examples: [
    { command: 'driftgate explain web.yaml file#/etc/motd', summary: 'Explain why a file drifts' },
    {
      command: 'driftgate explain web.yaml file#/etc/motd --fact role=web --set port=8443',
      summary: 'Explain with other data',
    },
    { command: "driftgate explain web.yaml file#/etc/motd --json | jq '.properties'", summary: 'Print JSON' },
  ],
  limits: ({ operands, options }) => limitsOf(operands.slice(0, 1), options),
  run: async (invocation, io) => (await import('./run.ts')).runExplain(invocation, io),
})
