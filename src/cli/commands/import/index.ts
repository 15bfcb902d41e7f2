import { type Command, defineCommand } from '../../command.ts'
import { OPTIONS } from './options.ts'

/** `driftgate import`: what was written for other tools, rewritten for driftgate. */
export const importFrom: Command = defineCommand({
  name: 'import',
  summary: 'Rewrite files of Goss and InSpec for driftgate',
  details: `goss               a file of Goss as a policy: resources that a fix can repair where they mean the same,
                   and the type goss for the rest
inspec-waivers     a waiver file of InSpec, YAML, JSON or CSV, as a file of waivers
inspec-attributes  a file of inputs or attributes of InSpec as a data file

What cannot be carried over is said on standard error. Exit code 0: it was rewritten. 1: it could not be.`,
  operands: {
    name: 'FORMAT',
    actions: ['goss', 'inspec-waivers', 'inspec-attributes'],
    others: ['FILE'],
    summary: 'what the file was written for; then the file',
    atLeast: 2,
    atMost: 2,
  },
  options: OPTIONS,
  examples: [
    {
      command: 'driftgate import goss goss.yaml --output policy.yaml',
      summary: 'A policy that fixes what Goss only found',
    },
    {
      command: 'driftgate import inspec-waivers waivers.yml --approver "Ada Lovelace" --expires 2027-06-30',
      summary: 'What was waived in InSpec, with an end',
    },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runImport(invocation, io),
})
