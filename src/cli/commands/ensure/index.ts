import { type Command, defineCommand } from '../../command.ts'
import { OPTIONS } from './options.ts'

/** `driftgate ensure`: a scan of one resource from the command line. */
export const ensure: Command = defineCommand({
  name: 'ensure',
  summary: 'Compare this machine with one resource given on the command line, or with --fix make it so',
  details: `A resource as a policy has it, through the same path, with the reports and exit codes of "driftgate scan".
PROPERTY=TEXT takes the text as it is where the property is a text, and reads it as YAML where it is
something else; PROPERTY:=YAML always reads YAML. Without "ensure" it is "present" where the type has that.`,
  operands: {
    name: 'type',
    others: ['name', 'property=value'],
    summary: 'A resource type, the name of the resource, and its properties',
    atLeast: 2,
    atMost: Infinity,
  },
  options: OPTIONS,
  examples: [
    {
      command: "driftgate ensure file /etc/motd content='Authorised use only.' owner=root group=root mode=0644",
      summary: 'What differs',
    },
    { command: 'driftgate ensure service ssh ensure=running enable=true --fix', summary: 'Make it so' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runEnsure(invocation, io),
})
