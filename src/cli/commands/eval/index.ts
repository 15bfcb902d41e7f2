import { BUNDLE_OPTIONS, checksumOf } from '../../options/bundle.ts'
import { type Command, defineCommand } from '../../command.ts'
import { usageError } from '../../errors.ts'
import { EXTENSION_OPTIONS, loadExtensions } from '../../options/extension.ts'
import { INPUT_OPTIONS, inputsOf, SHOW_SECRETS } from '../../options/input.ts'

/** `driftgate eval`: tries an expression in the environment that templates have. */
export const evaluate: Command = defineCommand({
  name: 'eval',
  summary: 'Evaluate an expression as a policy would',
  details:
    'Prints the value as a template would write it into a text; --json shows its type. A text that starts with {{ or\n' +
    '${ is expanded as a whole. Facts, Data, Environ and all functions of templates are there; without --policy, Data\n' +
    'holds what --data and --set give, and files are relative to the current directory. Exit code 1: it fails.',
  operands: { name: 'expression', summary: 'An expression or a template', atLeast: 1, atMost: 1 },
  options: {
    policy: {
      kind: 'list',
      group: 'Data:',
      placeholder: 'FILE',
      holds: 'policy',
      summary: 'Evaluate it with the data of this policy',
    },
    json: { kind: 'flag', group: 'Output:', summary: 'Print the value as JSON' },
    ...SHOW_SECRETS,
    ...INPUT_OPTIONS,
    ...BUNDLE_OPTIONS,
    ...EXTENSION_OPTIONS,
  },
  examples: [
    { command: "driftgate eval 'Facts.host.info.platformFamily'", summary: 'A fact' },
    {
      command: 'driftgate eval \'lookup("data.port", 80) + 1\' --policy web.yaml',
      summary: 'With the data of a policy',
    },
    {
      command: "driftgate eval 'filter(Facts.network.interfaces, .mtu > 1500)' --json",
      summary: 'A list, for programs',
    },
  ],
  async run({ operands: [expression = ''], options }, io) {
    const [policy, second] = options.policy
    if (second !== undefined) throw usageError('option --policy is given more than once', 'eval')
    const checksum = await checksumOf(options.policy, options, 'eval')
    const { types } = await loadExtensions(options)
    const { evaluateText } = await import('./run.ts')
    return evaluateText(
      expression,
      {
        inputs: { ...inputsOf(options), ...checksum, types },
        ...(policy === undefined ? {} : { policy }),
        format: options.json ? 'json' : 'text',
        secrets: options['show-secrets'] ? 'show' : 'hide',
      },
      io,
    )
  },
})
