import { type Command, defineCommand } from '../../command.ts'
import { OPTIONS } from './options.ts'

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
