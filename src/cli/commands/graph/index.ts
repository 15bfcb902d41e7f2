import { type Command, defineCommand, type Invocation, type OptionsOf, type OptionSpecs } from '../../command.ts'
import { limitsOf } from '../../options/input.ts'
import { POLICY } from '../../options/policies.ts'
import { GRAPH_FORMATS } from '../../../engine/inspect/graph/formats.ts'
import { LOADING_OPTIONS } from '../../options/loading.ts'

const OPTIONS = {
  format: {
    kind: 'text',
    group: 'Output:',
    placeholder: 'FORMAT',
    choices: GRAPH_FORMATS,
    default: 'mermaid',
    summary: 'Output format: mermaid for Markdown, dot for Graphviz',
  },
  controls: { kind: 'flag', group: 'Output:', summary: 'Include controls and their resources' },
  ...LOADING_OPTIONS,
} as const satisfies OptionSpecs

export type GraphInvocation = Invocation<OptionsOf<typeof OPTIONS>>

export const graph: Command = defineCommand({
  name: 'graph',
  summary: 'Print the dependency graph of a policy',
  details:
    'An arrow points from a resource to one that it requires, subscribes to or reads a value of, or to the child manifest\n' +
    'that it applies, which is drawn around its resources. A child manifest whose condition is false on this host is not\n' +
    'read. The host is not scanned.',
  operands: POLICY,
  options: OPTIONS,
  examples: [
    { command: 'driftgate graph web.yaml', summary: 'Print Mermaid for a Markdown page' },
    { command: 'driftgate graph web.yaml --format dot | dot -Tsvg > web.svg', summary: 'Draw a picture with Graphviz' },
  ],
  limits: ({ operands, options }) => limitsOf(operands, options),
  run: async (invocation, io) => (await import('./run.ts')).runGraph(invocation, io),
})
