import { EXIT } from '../../../model/gate.ts'
import { toSafeJson } from '../../../model/safe-json.ts'
import { type Command, defineCommand } from '../../command.ts'

export const version: Command = defineCommand({
  name: 'version',
  summary: 'Show the version, the form of installation and the Node it runs on',
  options: { json: { kind: 'flag', group: 'Output:', summary: 'Print JSON' } },
  examples: [{ command: 'driftgate version --json | jq -r .node', summary: 'Print the version of Node' }],
  run: async ({ options }, io) => {
    const { versionInfo, versionInFull } = await import('../../version.ts')
    await io.print(options.json ? `${toSafeJson(versionInfo(), 2)}\n` : versionInFull())
    return EXIT.ok
  },
})
