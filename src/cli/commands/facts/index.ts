import { type Command, defineCommand } from '../../command.ts'
import { OPTIONS } from './options.ts'

/** `driftgate facts`: what policies can know of this machine, as they see it. */
export const facts: Command = defineCommand({
  name: 'facts',
  summary: 'Print the facts of this machine, or those at a path',
  details:
    'The facts of the system with those of /etc/driftgate and the user, as templates see them. Of a path only\n' +
    'the family it names is gathered. A path that finds nothing is exit code 1.',
  operands: { name: 'path', summary: 'A lookup path such as host.info.platform', atLeast: 0, atMost: 1 },
  options: OPTIONS,
  travels: true,
  examples: [
    { command: 'driftgate facts --yaml', summary: 'Everything a policy can ask for' },
    { command: 'driftgate facts host.info.platform', summary: 'One fact' },
    { command: "driftgate facts 'network.interfaces.#.name'", summary: 'One value of every item of a list' },
    { command: 'driftgate facts role --fact role=web', summary: 'A fact that is given' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runFacts(invocation, io),
})
