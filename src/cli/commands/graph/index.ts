import { GRAPH_FORMATS } from '../../../inspect/graph/formats.ts'
import { BUNDLE_OPTIONS, checksumOf } from '../../options/bundle.ts'
import { type Command, defineCommand } from '../../command.ts'
import { EXTENSION_OPTIONS, loadExtensions } from '../../options/extension.ts'
import { INPUT_OPTIONS, inputsOf } from '../../options/input.ts'
import { withOne } from '../../load-one.ts'
import { POLICY } from '../../options/policies.ts'

/** `driftgate graph`: how the resources of a policy hang together, as a drawing. */
export const graph: Command = defineCommand({
  name: 'graph',
  summary: 'Draw how the resources of a policy hang together',
  details:
    'An arrow reads as a sentence: the resource at its tail requires, subscribes to, or reads a value of the one at its\n' +
    'head, or applies a child manifest, which is drawn around its resources. A child manifest that control rules out on\n' +
    'this machine is not read, and says so. Nothing is compared with the machine.',
  operands: POLICY,
  options: {
    format: {
      kind: 'text',
      group: 'Output:',
      placeholder: 'FORMAT',
      choices: GRAPH_FORMATS,
      default: 'mermaid',
      summary: 'The language: mermaid for Markdown pages, dot for Graphviz',
    },
    controls: { kind: 'flag', group: 'Output:', summary: 'Draw the controls and the resources that support them, too' },
    ...INPUT_OPTIONS,
    ...BUNDLE_OPTIONS,
    ...EXTENSION_OPTIONS,
  },
  examples: [
    { command: 'driftgate graph web.yaml', summary: 'For a page that draws Mermaid' },
    { command: 'driftgate graph web.yaml --format dot | dot -Tsvg > web.svg', summary: 'A picture, by Graphviz' },
  ],
  async run({ operands: [source = ''], options }, io) {
    const checksum = await checksumOf([source], options, 'graph')
    const { types } = await loadExtensions(options)
    const loading = { ...inputsOf(options), ...checksum, types, source, command: 'graph', io }
    const code = await withOne(loading, async ({ policy }) => {
      const { renderGraph } = await import('../../../inspect/graph/index.ts')
      await io.print(renderGraph(policy, { format: options.format, controls: options.controls }))
      return 0
    })
    return code ?? 1
  },
})
