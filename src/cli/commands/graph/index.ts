import { type Command, defineCommand } from '../../command.ts'
import { limitsOf } from '../../options/input.ts'
import { POLICY } from '../../options/policies.ts'
import { OPTIONS } from './options.ts'

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
