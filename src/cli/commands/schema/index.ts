import { type Command, defineCommand, type Invocation, type OptionsOf, type OptionSpecs } from '../../command.ts'
import { EXTENSION_OPTIONS } from '../../options/extension.ts'

const OPTIONS = {
  out: {
    kind: 'optional-text',
    group: 'Output:',
    placeholder: 'FILE',
    implied: 'policy.schema.json',
    isOwn: true,
    summary: 'Write to FILE (default: policy.schema.json)',
  },
  ...EXTENSION_OPTIONS,
} as const satisfies OptionSpecs

export type SchemaInvocation = Invocation<OptionsOf<typeof OPTIONS>>

export const schema: Command = defineCommand({
  name: 'schema',
  summary: 'Print the JSON Schema of policies',
  details:
    'A draft 7 schema that knows every resource type with its properties, values and examples. An editor with a YAML\n' +
    'language server uses it where a policy starts with a line such as\n' +
    '# yaml-language-server: $schema=policy.schema.json',
  options: OPTIONS,
  examples: [
    { command: 'driftgate schema --out', summary: 'Write the schema next to your policies' },
    { command: 'driftgate schema --plugin ./queue.js --out', summary: 'Include the types of a plugin' },
    { command: "driftgate schema | jq '.definitions | keys'", summary: 'List its definitions' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runSchema(invocation, io),
})
