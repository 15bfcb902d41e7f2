import { type Command, defineCommand } from '../../command.ts'
import { OPTIONS } from './options.ts'

/** `driftgate types`: what a policy can manage, printed from the registry of resource types. */
export const types: Command = defineCommand({
  name: 'types',
  summary: 'List the resource types with their properties',
  options: OPTIONS,
  examples: [
    { command: 'driftgate types', summary: 'What a policy can manage' },
    { command: "driftgate types --json | jq '.[].type'", summary: 'The same for programs' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runTypes(invocation, io),
})
