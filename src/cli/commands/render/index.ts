import { BUNDLE_OPTIONS, checksumOf } from '../../options/bundle.ts'
import { type Command, defineCommand } from '../../command.ts'
import { EXTENSION_OPTIONS, loadExtensions } from '../../options/extension.ts'
import { INPUT_OPTIONS, inputsOf, SHOW_SECRETS } from '../../options/input.ts'
import { withOne } from '../../load-one.ts'
import { POLICY } from '../../options/policies.ts'
import { reportProblems } from '../../problems.ts'

/** `driftgate render`: a policy as it is on this machine, everything resolved. */
export const render: Command = defineCommand({
  name: 'render',
  summary: 'Print a policy with its data, names and templates resolved for this machine',
  details:
    'What is printed is a policy that scans to the same result without facts, hierarchy and flags. Resources that\n' +
    'control rules out stay, behind a condition that is false. A resource whose templates fail stays as it is written,\n' +
    'with a warning. Data marked @sensitive and values of sensitive resources are left out: the output then needs\n' +
    'them from --data or --set, and a scan without them says which are missing. --show-secrets writes them.',
  operands: POLICY,
  options: { ...SHOW_SECRETS, ...INPUT_OPTIONS, ...BUNDLE_OPTIONS, ...EXTENSION_OPTIONS },
  examples: [
    { command: 'driftgate render web.yaml', summary: 'What a scan of this machine would compare' },
    {
      command: 'driftgate render web.yaml --fact role=web --set port=8443 > web01.yaml',
      summary: 'A policy for one machine',
    },
  ],
  async run({ operands, options }, io) {
    const [source = ''] = operands
    const checksum = await checksumOf(operands, options, 'render')
    const { types } = await loadExtensions(options)
    const loading = { ...inputsOf(options), ...checksum, types, source, beside: '', command: 'render', io }
    const code = await withOne(loading, async (document) => {
      const { renderPolicy } = await import('../../../inspect/render/index.ts')
      const secrets = options['show-secrets'] ? 'show' : 'hide'
      const { text, unresolved } = renderPolicy(document, { types, secrets })
      await reportProblems(
        unresolved.map(({ id, message }) => ({
          message: `${id} stays as it is written: ${message}`,
          severity: 'warning',
        })),
        io,
      )
      await io.print(text)
      return 0
    })
    return code ?? 1
  },
})
