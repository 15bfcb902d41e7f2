import { type Command, defineCommand, type Invocation, type OptionsOf } from '../../command.ts'
import { SCAN_OPTIONS } from '../../options/scan.ts'

// There is a single resource, and no bundle to pin.
const { only: _only, skip: _skip, checksum: _checksum, ...options } = SCAN_OPTIONS

const OPTIONS = options

export type EnsureInvocation = Invocation<OptionsOf<typeof OPTIONS>>

export const ensure: Command = defineCommand({
  name: 'ensure',
  summary: 'Check one resource given on the command line, or fix it with --fix',
  details: `The resource is evaluated as in a policy, with the reports and exit codes of "driftgate scan". PROPERTY=TEXT is
taken literally if the property is a string, and read as YAML otherwise; PROPERTY:=YAML is always read as YAML.
"ensure" defaults to "present" if the type supports it.`,
  operands: {
    name: 'type',
    others: ['name', 'property=value'],
    summary: 'a resource type, a name, and properties',
    atLeast: 2,
    atMost: Infinity,
  },
  options: OPTIONS,
  examples: [
    {
      command: "driftgate ensure file /etc/motd content='Authorised use only.' owner=root group=root mode=0644",
      summary: 'Show drift of one file',
    },
    { command: 'driftgate ensure service ssh ensure=running enable=true --fix', summary: 'Fix it' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runEnsure(invocation, io),
})
