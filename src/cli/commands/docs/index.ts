import { type Command, defineCommand, type Invocation, type OptionsOf, type OptionSpecs } from '../../command.ts'
import { EXTENSION_OPTIONS, loadExtensions } from '../../options/extension.ts'

const OPTIONS = {
  format: {
    kind: 'text',
    group: 'Output:',
    placeholder: 'FORMAT',
    choices: ['text', 'markdown'],
    default: 'text',
    summary: 'Output format',
  },
  out: {
    kind: 'optional-text',
    group: 'Output:',
    placeholder: 'DIR',
    implied: 'reference',
    isOwn: true,
    summary: 'Write Markdown pages to DIR (default: reference)',
  },
  ...EXTENSION_OPTIONS,
} as const satisfies OptionSpecs

export type DocsInvocation = Invocation<OptionsOf<typeof OPTIONS>>

export const docs: Command = defineCommand({
  name: 'docs',
  summary: 'Print the reference of one or all resource types',
  details:
    'Properties with their kinds, limits and defaults, rules, drifts, providers and examples. With --out, Markdown is\n' +
    'written: a page for each type and an index, README.md.',
  operands: {
    name: 'type',
    summary: 'a resource type (see "driftgate types")',
    atLeast: 0,
    atMost: 1,
    offers: async () => (await loadExtensions({ plugin: [] })).types.map(({ type }) => type),
  },
  options: OPTIONS,
  examples: [
    { command: 'driftgate docs file', summary: 'Print the reference of the type file' },
    { command: 'driftgate docs acme.queue --plugin ./queue.js', summary: 'Print the reference of a plugin type' },
    { command: 'driftgate docs --out site/reference', summary: 'Write Markdown pages for a web site' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runDocs(invocation, io),
})
