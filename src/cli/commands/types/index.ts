import { type Command, defineCommand } from '../../command.ts'
import { OPTIONS } from './options.ts'

export const types: Command = defineCommand({
  name: 'types',
  summary: 'List resource types with their properties',
  options: OPTIONS,
  examples: [
    { command: 'driftgate types', summary: 'List resource types' },
    { command: "driftgate types --json | jq '.[].type'", summary: 'Print them as JSON' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runTypes(invocation, io),
})
