import { type Command, defineCommand } from '../../command.ts'
import { loadExtensions } from '../../options/extension.ts'
import { OPTIONS } from './options.ts'

/** `driftgate docs`: the reference of resource types, for the terminal or as Markdown. */
export const docs: Command = defineCommand({
  name: 'docs',
  summary: 'Print the reference of a resource type, or of all of them',
  details:
    'Properties with their kinds, limits and defaults, rules, drifts, providers and examples. With --out, Markdown is\n' +
    'written: a page for each type and an index, README.md.',
  operands: {
    name: 'type',
    summary: 'A resource type, as "driftgate types" lists them',
    atLeast: 0,
    atMost: 1,
    offers: async () => (await loadExtensions({ plugin: [] })).types.map(({ type }) => type),
  },
  options: OPTIONS,
  examples: [
    { command: 'driftgate docs file', summary: 'What can be said about a file' },
    { command: 'driftgate docs acme.queue --plugin ./queue.js', summary: 'What a plugin adds' },
    { command: 'driftgate docs --out site/reference', summary: 'Pages for a web site' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runDocs(invocation, io),
})
