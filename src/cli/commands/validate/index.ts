import { type Command, defineCommand, type Invocation, type OptionsOf, type OptionSpecs } from '../../command.ts'
import { limitsOf } from '../../options/input.ts'
import { POLICIES } from '../../options/policies.ts'
import { CARRY_OPTIONS } from '../../options/carry.ts'
import { LOADING_OPTIONS } from '../../options/loading.ts'
import { TARGET_OPTIONS } from '../../options/target.ts'

const OPTIONS = {
  quiet: { kind: 'flag', alias: 'q', group: 'Output:', summary: 'Print problems only' },
  ccm: { kind: 'flag', group: 'Checks:', summary: 'Reject anything that CCM does not support or reads differently' },
  ...TARGET_OPTIONS,
  ...CARRY_OPTIONS,
  ...LOADING_OPTIONS,
} as const satisfies OptionSpecs

export type ValidateInvocation = Invocation<OptionsOf<typeof OPTIONS>>

export const validate: Command = defineCommand({
  name: 'validate',
  summary: 'Check policies, their data and templates without a scan',
  details:
    'Every problem is shown with file, line and column: wrong keys and values, data that breaks its annotations,\n' +
    'templates and conditions that cannot work on any host. Exit code 0: all policies are valid.\n' +
    '1: at least one is not. With --ccm, a policy is valid only if Choria Configuration Manager (CCM) reads it in the\n' +
    'same way.',
  operands: POLICIES,
  options: OPTIONS,
  travels: true,
  examples: [
    { command: 'driftgate validate policies/', summary: 'Check every policy of a directory' },
    { command: 'driftgate validate web.yaml --data production.yaml', summary: 'Check with the data of an environment' },
    { command: 'driftgate validate --ccm web.yaml', summary: 'Check compatibility with CCM' },
    { command: 'driftgate validate web.tgz', summary: 'Check a bundle before publication' },
    { command: 'cat web.yaml | driftgate validate -', summary: 'Check generated policies from standard input' },
  ],
  limits: ({ operands, options }) => limitsOf(operands, options),
  run: async (invocation, io) => (await import('./run.ts')).runValidate(invocation, io),
})
