import { BUNDLE_OPTIONS, checksumOf } from '../../options/bundle.ts'
import { type Command, defineCommand } from '../../command.ts'
import { EXTENSION_OPTIONS, loadExtensions } from '../../options/extension.ts'
import { INPUT_OPTIONS, inputsOf, SHOW_SECRETS } from '../../options/input.ts'
import { withOne } from '../../load-one.ts'
import { POLICY } from '../../options/policies.ts'

/** `driftgate data`: the data the templates of a policy see on this machine. */
export const data: Command = defineCommand({
  name: 'data',
  summary: 'Print the resolved data of a policy, and where each value came from',
  details:
    'The data of the policy with the overrides its hierarchy chooses on this machine, --data and --set, in YAML.\n' +
    'With --trace each value is followed by its origin: data, overrides.KEY, --data FILE, or --set KEY.',
  operands: POLICY,
  options: {
    trace: { kind: 'flag', group: 'Output:', summary: 'Say of every value where it came from' },
    json: { kind: 'flag', group: 'Output:', summary: 'Print JSON for programs' },
    ...SHOW_SECRETS,
    ...INPUT_OPTIONS,
    ...BUNDLE_OPTIONS,
    ...EXTENSION_OPTIONS,
  },
  examples: [
    { command: 'driftgate data web.yaml --trace', summary: 'Which level of the hierarchy decided what' },
    { command: 'driftgate data web.yaml --data production.yaml --set port=8443', summary: 'With data of your own' },
    { command: "driftgate data web.yaml --json | jq '.port'", summary: 'One value' },
  ],
  async run({ operands, options }, io) {
    const [source = ''] = operands
    const checksum = await checksumOf(operands, options, 'data')
    const { types } = await loadExtensions(options)
    const loading = { ...inputsOf(options), ...checksum, types, source, beside: '', command: 'data', io }
    const code = await withOne(loading, async ({ evaluation }) => {
      if (evaluation === undefined) return 1
      const { showData } = await import('./run.ts')
      await io.print(
        showData(evaluation, {
          format: options.json ? 'json' : 'yaml',
          trace: options.trace,
          secrets: options['show-secrets'] ? 'show' : 'hide',
        }),
      )
      return 0
    })
    return code ?? 1
  },
})
