import { type Command, defineCommand, type Invocation, type OptionsOf, type OptionSpecs } from '../../command.ts'
import { CARRY_OPTIONS } from '../../options/carry.ts'
import { EXTENSION_OPTIONS } from '../../options/extension.ts'
import { TARGET_OPTIONS } from '../../options/target.ts'

const OPTIONS = {
  json: { kind: 'flag', group: 'Output:', summary: 'Print JSON' },
  ...TARGET_OPTIONS,
  ...CARRY_OPTIONS,
  ...EXTENSION_OPTIONS,
} as const satisfies OptionSpecs

export type StatusInvocation = Invocation<OptionsOf<typeof OPTIONS>>

export const status: Command = defineCommand({
  name: 'status',
  summary: 'Show the current state as resources for a policy',
  details: `Prints resources that match the current state, without file contents. Nothing is changed.

Exit codes
  0  all resources read, absent ones included
  1  wrong usage
  3  some resources are unreadable or not supported`,
  operands: {
    name: 'type',
    others: ['name'],
    summary: 'a resource type such as file, package or service, then names',
    atLeast: 2,
    atMost: Infinity,
  },
  options: OPTIONS,
  travels: true,
  examples: [
    { command: 'driftgate status file /etc/hosts /etc/shadow', summary: 'Show owner, group and mode of files' },
    { command: 'driftgate status service ssh --json', summary: 'Print a service as JSON' },
    { command: 'driftgate status file /etc/motd --target root:/mnt', summary: 'Show a file of a mounted system' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runStatus(invocation, io),
})
