import { type Command, defineCommand, type Invocation, type OptionsOf, type OptionSpecs } from '../../command.ts'

const OPTIONS = {
  type: {
    kind: 'value',
    group: 'Output:',
    placeholder: 'NAME',
    summary: 'Name of the resource type (default: my.DIRECTORY)',
  },
} as const satisfies OptionSpecs

export type NewInvocation = Invocation<OptionsOf<typeof OPTIONS>>

export const newPackage: Command = defineCommand({
  name: 'new',
  summary: 'Write the package of a plugin with a resource type and its tests',
  details: `Writes a package in TypeScript: one resource type, a line of a file, with its contract tests, a policy that uses it and a
workflow for GitHub. It builds and passes its tests as it is; replace the type by your own.

Exit codes
  0  package written
  1  wrong usage, or the directory is not empty`,
  operands: { name: 'directory', summary: '"plugin" and the directory to create', atLeast: 2, atMost: 2 },
  options: OPTIONS,
  examples: [
    { command: 'driftgate new plugin queue', summary: 'Write the package driftgate-queue with the type my.queue' },
    { command: 'driftgate new plugin queue --type acme.queue', summary: 'Name the type' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runNew(invocation, io),
})
