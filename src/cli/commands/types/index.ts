import { type Command, defineCommand, type Invocation, type OptionsOf, type OptionSpecs } from '../../command.ts'
import { EXTENSION_OPTIONS } from '../../options/extension.ts'

const OPTIONS = {
  json: { kind: 'flag', group: 'Output:', summary: 'Print JSON' },
  ...EXTENSION_OPTIONS,
} as const satisfies OptionSpecs

export type TypesInvocation = Invocation<OptionsOf<typeof OPTIONS>>

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
