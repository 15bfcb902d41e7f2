import { type Command, defineCommand } from '../../command.ts'
import { loadExtensions } from '../../options/extension.ts'
import { SCAN_OPTIONS, scanRequestOf } from '../scan/index.ts'

// There is one resource, and no bundle that could be pinned.
const { only: _only, skip: _skip, checksum: _checksum, ...options } = SCAN_OPTIONS

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
  options,
  examples: [
    {
      command: "driftgate ensure file /etc/motd content='Authorised use only.' owner=root group=root mode=0644",
      summary: 'What differs',
    },
    { command: 'driftgate ensure service ssh ensure=running enable=true --fix', summary: 'Make it so' },
  ],
  async run({ operands: [type = '', name = '', ...properties], options: given }, io) {
    const [{ types }, { resourceText }] = await Promise.all([loadExtensions(given), import('./resource-text.ts')])
    const flags = { ...given, only: [], skip: [], checksum: [] }
    const text = resourceText(types, { type, name, properties })
    const request = await scanRequestOf({ operands: [COMMAND_LINE], options: flags }, 'ensure')
    const { performScan } = await import('../scan/run.ts')
    return performScan({ ...request, texts: new Map([[COMMAND_LINE, text]]) }, io)
  },
})

/** What problems and reports name as the file. */
const COMMAND_LINE = 'command line'
