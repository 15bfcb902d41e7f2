import { defineCommand, type Command } from '../../command.ts'
import { EXTENSION_OPTIONS, loadExtensions } from '../../options/extension.ts'

/** `driftgate schema`: the JSON Schema of policies, for editors. */
export const schema: Command = defineCommand({
  name: 'schema',
  summary: 'Print the JSON Schema of policies, for editors and other tools',
  details:
    'A draft 7 schema that knows every resource type with its properties, values and examples. An editor with a YAML\n' +
    'language server uses it where a policy starts with a line such as\n' +
    '# yaml-language-server: $schema=policy.schema.json',
  options: {
    out: {
      kind: 'optional-text',
      group: 'Output:',
      placeholder: 'FILE',
      implied: 'policy.schema.json',
      isOwn: true,
      summary: 'Write it to a file, "policy.schema.json" where none is named',
    },
    ...EXTENSION_OPTIONS,
  },
  examples: [
    { command: 'driftgate schema --out', summary: 'A schema beside your policies' },
    { command: 'driftgate schema --plugin ./queue.js --out', summary: 'The same with the types of a plugin' },
    { command: "driftgate schema | jq '.definitions | keys'", summary: 'What it defines' },
  ],
  async run({ options }, io) {
    const { out } = options
    const { types } = await loadExtensions(options)
    const { editorSchema } = await import('../../../policy/schema/editor.ts')
    const text = `${JSON.stringify(editorSchema(types), null, 2)}\n`
    if (out === undefined) {
      await io.print(text)
      return 0
    }
    const { openReportFile } = await import('../../output/report-file.ts')
    await openReportFile(out, { what: 'schema' }).commit(text)
    io.say(`driftgate: wrote ${out}\n`)
    return 0
  },
})
