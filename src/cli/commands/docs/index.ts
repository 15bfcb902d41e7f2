import { join } from 'node:path'
import type { ResourceType } from '../../../resource-type/define.ts'
import { defineCommand, type Command } from '../../command.ts'
import { didYouMean } from '../../../core/suggest.ts'
import { usageError } from '../../errors.ts'
import { EXTENSION_OPTIONS, loadExtensions } from '../../options/extension.ts'
import type { Io } from '../../output/io.ts'

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
  options: {
    format: {
      kind: 'text',
      group: 'Output:',
      placeholder: 'FORMAT',
      choices: ['text', 'markdown'],
      default: 'text',
      summary: 'Print text for a terminal, or Markdown',
    },
    out: {
      kind: 'optional-text',
      group: 'Output:',
      placeholder: 'DIR',
      implied: 'reference',
      isOwn: true,
      summary: 'Write Markdown pages to a directory, "reference" where none is named',
    },
    ...EXTENSION_OPTIONS,
  },
  examples: [
    { command: 'driftgate docs file', summary: 'What can be said about a file' },
    { command: 'driftgate docs acme.queue --plugin ./queue.js', summary: 'What a plugin adds' },
    { command: 'driftgate docs --out site/reference', summary: 'Pages for a web site' },
  ],
  async run({ operands: [wanted], options }, io) {
    const { format, out } = options
    const types = select((await loadExtensions(options)).types, wanted)
    if (out !== undefined) {
      await writePages(types, out, io)
      return 0
    }
    const { renderReference } = await import('../../../reference/index.ts')
    if (format === 'markdown') await io.print(renderReference(types, { format }))
    else {
      const { outputWidth } = await import('../../output/width.ts')
      await io.print(renderReference(types, { format, width: outputWidth(), paint: await io.paintOutput() }))
    }
    return 0
  },
})

function select(types: readonly ResourceType[], wanted: string | undefined): readonly ResourceType[] {
  if (wanted === undefined) return types
  const found = types.filter(({ type }) => type === wanted)
  if (found.length > 0) return found
  const names = types.map(({ type }) => type)
  throw usageError(`unknown resource type "${wanted}"${didYouMean(wanted, names)} (${names.join(', ')})`, 'docs')
}

async function writePages(types: readonly ResourceType[], directory: string, io: Io): Promise<void> {
  const [{ referencePages }, { openReportFile }] = await Promise.all([
    import('../../../reference/index.ts'),
    import('../../output/report-file.ts'),
  ])
  for (const [name, text] of referencePages(types)) {
    const path = join(directory, name)
    await openReportFile(path, { what: 'page' }).commit(text)
    io.say(`driftgate: wrote ${path}\n`)
  }
}
