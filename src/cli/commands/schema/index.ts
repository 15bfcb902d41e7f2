import { type Command, defineCommand } from '../../command.ts'
import { OPTIONS } from './options.ts'

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
