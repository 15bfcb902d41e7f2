import { type Command, defineCommand, type Invocation, type OptionsOf, type OptionSpecs } from '../../command.ts'
import { INPUT_OPTIONS } from '../../options/input.ts'

const OPTIONS = {
  output: {
    kind: 'value',
    group: 'Output:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Write to this new file instead of standard output',
  },
  approver: {
    kind: 'value',
    group: 'Waivers:',
    placeholder: 'NAME',
    summary: 'Approver of the waivers (not part of InSpec files)',
  },
  expires: {
    kind: 'value',
    group: 'Waivers:',
    placeholder: 'DAY',
    summary: 'Expiry date of waivers without one, as YYYY-MM-DD',
  },
  ...INPUT_OPTIONS,
} as const satisfies OptionSpecs

export type ImportInvocation = Invocation<OptionsOf<typeof OPTIONS>>

export const importFrom: Command = defineCommand({
  name: 'import',
  summary: 'Convert files of Goss and InSpec',
  details: `goss               Convert a Goss file to a policy: native resources where they are equivalent, type goss otherwise
inspec-waivers     Convert an InSpec waiver file (YAML, JSON or CSV) to waivers
inspec-attributes  Convert an InSpec inputs or attributes file to a data file

Items that cannot be converted are reported on standard error. Exit code 0: converted, 1: not converted.`,
  operands: {
    name: 'FORMAT',
    actions: ['goss', 'inspec-waivers', 'inspec-attributes'],
    others: ['FILE'],
    summary: 'a format, then the file',
    atLeast: 2,
    atMost: 2,
  },
  options: OPTIONS,
  examples: [
    {
      command: 'driftgate import goss goss.yaml --output policy.yaml',
      summary: 'Convert a Goss file to a policy',
    },
    {
      command: 'driftgate import inspec-waivers waivers.yml --approver "Ada Lovelace" --expires 2027-06-30',
      summary: 'Convert InSpec waivers, with an expiry date',
    },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runImport(invocation, io),
})
