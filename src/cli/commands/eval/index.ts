import { type Command, defineCommand, type Invocation, type OptionsOf, type OptionSpecs } from '../../command.ts'
import { limitsOf, SHOW_SECRETS } from '../../options/input.ts'
import { LOADING_OPTIONS } from '../../options/loading.ts'

const OPTIONS = {
  policy: {
    kind: 'list',
    group: 'Data:',
    placeholder: 'FILE',
    holds: 'policy',
    summary: 'Use the data of this policy',
  },
  json: { kind: 'flag', group: 'Output:', summary: 'Print the value as JSON' },
  ...SHOW_SECRETS,
  ...LOADING_OPTIONS,
} as const satisfies OptionSpecs

export type EvalInvocation = Invocation<OptionsOf<typeof OPTIONS>>

export const evaluate: Command = defineCommand({
  name: 'eval',
  summary: 'Evaluate an expression with the facts and data of a policy',
  details:
    'Prints the value as a template would render it; --json shows its type. A text that starts with {{ or ${ is expanded\n' +
    'as a whole. Facts, Data, Environ and all template functions are available; without --policy, Data contains the\n' +
    'values of --data and --set, and files are relative to the current directory. Exit code 1: evaluation failed.',
  operands: { name: 'expression', summary: 'an expression or a template', atLeast: 1, atMost: 1 },
  options: OPTIONS,
  examples: [
    { command: "driftgate eval 'Facts.host.info.platformFamily'", summary: 'Print a fact' },
    {
      command: 'driftgate eval \'lookup("data.port", 80) + 1\' --policy web.yaml',
      summary: 'Use the data of a policy',
    },
    {
      command: "driftgate eval 'filter(Facts.network.interfaces, .mtu > 1500)' --json",
      summary: 'Print a list as JSON',
    },
  ],
  limits: ({ options }) => limitsOf(options.policy, options),
  run: async (invocation, io) => (await import('./run.ts')).runEval(invocation, io),
})
