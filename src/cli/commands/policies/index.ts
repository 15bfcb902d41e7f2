import { type Command, defineCommand, type Invocation, type OptionsOf, type OptionSpecs } from '../../command.ts'

const OPTIONS = {
  coverage: { kind: 'flag', group: 'Output:', summary: 'With "show": list the recommendations without a control' },
  json: { kind: 'flag', group: 'Output:', summary: 'Print JSON' },
} as const satisfies OptionSpecs

export type PoliciesInvocation = Invocation<OptionsOf<typeof OPTIONS>>

export const policies: Command = defineCommand({
  name: 'policies',
  summary: 'List shipped policies, or show one with its catalogue controls',
  details: `policies              List shipped policies
policies show POLICY  Print a policy, @NAME or a file, with the controls of its catalogue

Exit codes
  0  policies listed or shown
  1  wrong usage, an invalid policy, or shipped policies are missing`,
  operands: { name: 'POLICY', actions: ['show'], summary: '@NAME or a file', atLeast: 0, atMost: 2 },
  options: OPTIONS,
  examples: [
    { command: 'driftgate policies', summary: 'List shipped policies' },
    { command: 'driftgate policies show @ssh', summary: 'Show a policy with its controls' },
    {
      command: 'driftgate policies show @cis-rhel-9 --coverage',
      summary: 'List recommendations without a control, and why',
    },
    { command: 'driftgate scan @ssh', summary: 'Audit with a shipped policy' },
    {
      command: "driftgate policies --json | jq -r '.[].path'",
      summary: 'Print their paths',
    },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runPolicies(invocation, io),
})
