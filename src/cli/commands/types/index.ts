import { padColumns, widestOf } from '../../../core/columns.ts'
import { toSafeJson } from '../../../core/safe-json.ts'
import { defineCommand, type Command } from '../../command.ts'
import { EXTENSION_OPTIONS, loadExtensions } from '../../options/extension.ts'

/** `driftgate types`: what a policy can manage, printed from the registry of resource types. */
export const types: Command = defineCommand({
  name: 'types',
  summary: 'List the resource types with their properties',
  options: { json: { kind: 'flag', group: 'Output:', summary: 'Print JSON for programs' }, ...EXTENSION_OPTIONS },
  examples: [
    { command: 'driftgate types', summary: 'What a policy can manage' },
    { command: "driftgate types --json | jq '.[].type'", summary: 'The same for programs' },
  ],
  async run({ options }, io) {
    const [{ describeTypes }, { facetsOf }, { types: loaded }] = await Promise.all([
      import('../../../reference/describe.ts'),
      import('../../../reference/facets.ts'),
      loadExtensions(options),
    ])
    const described = describeTypes(loaded).types
    if (options.json) {
      await io.print(`${toSafeJson(described, 2)}\n`)
      return 0
    }
    const paint = await io.paintOutput()
    const text = described.map(({ type, summary, properties }) => {
      const width = widestOf(properties.map(({ name }) => name))
      const lines = properties.map(
        (property) => `  ${padColumns(property.name, width)}  ${facetsOf(property).join(', ')}. ${property.summary}`,
      )
      return [`${paint('strong', type)}  ${summary}`, ...lines].map((line) => `${line}\n`).join('')
    })
    await io.print(text.join('\n'))
    return 0
  },
})
