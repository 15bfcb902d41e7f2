import { type Command, defineCommand } from '../../command.ts'
import { OPTIONS } from './options.ts'

/** `driftgate status`: what is there, as a resource that can be pasted into a policy. */
export const status: Command = defineCommand({
  name: 'status',
  summary: 'Show what is there, as a resource to paste into a policy',
  details: `Looks at things of this machine by type and name and prints the resources that are compliant with them, of
files without their content. Changes nothing.

Exit codes
  0  everything was seen, also what is not there
  1  wrong usage
  3  something could not be seen, or no resource can say it`,
  operands: {
    name: 'type',
    others: ['name'],
    summary: 'A resource type such as file, package or service, then names of things of that type',
    atLeast: 2,
    atMost: Infinity,
  },
  options: OPTIONS,
  examples: [
    { command: 'driftgate status file /etc/hosts /etc/shadow', summary: 'Owner, group and mode of files' },
    { command: 'driftgate status service ssh --json', summary: 'A service, for programs' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runStatus(invocation, io),
})
