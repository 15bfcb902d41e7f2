import { type Command, defineCommand } from '../../command.ts'
import { limitsOf } from '../../options/input.ts'
import { POLICY } from '../../options/policies.ts'
import { OPTIONS } from './options.ts'

export const graph: Command = defineCommand({
  name: 'graph',
  summary: 'Print the dependency graph of a policy',
  details:
    'An arrow reads as a sentence: the resource at its tail requires, subscribes to, or reads a value of the one at its\n' +
    'head, or applies a child manifest, which is drawn around its resources. A child manifest that control rules out on\n' +
    'this host is not read. The host is not scanned.',
  operands: POLICY,
  options: OPTIONS,
  examples: [
    { command: 'driftgate graph web.yaml', summary: 'Print Mermaid for a Markdown page' },
    { command: 'driftgate graph web.yaml --format dot | dot -Tsvg > web.svg', summary: 'Draw a picture with Graphviz' },
  ],
  limits: ({ operands, options }) => limitsOf(operands, options),
  run: async (invocation, io) => (await import('./run.ts')).runGraph(invocation, io),
})
