import type { PropertySpec } from '../../core/property.ts'
import type { ResourceType } from '../../resources/define.ts'
import { defineCommand, type Command } from '../command.ts'
import { EXTENSION_OPTIONS, loadExtensions } from '../extensions.ts'

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
    const extensions = await loadExtensions(options)
    const described = extensions.types.map(describeType)
    if (options.json) {
      await io.print(`${JSON.stringify(described, null, 2)}\n`)
      return 0
    }
    const paint = await io.paintOutput()
    const text = described.map((type) => {
      const width = Math.max(...type.properties.map(({ name }) => name.length))
      const lines = type.properties.map((property) => `  ${property.name.padEnd(width)}  ${formatProperty(property)}`)
      return [`${paint('strong', type.type)}  ${type.summary}`, ...lines].map((line) => `${line}\n`).join('')
    })
    await io.print(text.join('\n'))
    return 0
  },
})

interface TypeDescription {
  readonly type: string
  readonly summary: string
  readonly ensure: readonly string[]
  readonly providers: readonly string[]
  readonly properties: readonly PropertyDescription[]
}

interface PropertyDescription {
  readonly name: string
  readonly kind: string
  readonly required: boolean
  readonly summary: string
  readonly aliases?: readonly string[]
  readonly values?: readonly string[]
  readonly default?: string | number | boolean
}

function describeType({ type, summary, providers, properties }: ResourceType): TypeDescription {
  const { ensure } = properties
  return {
    type,
    summary,
    ensure: ensure?.kind === 'text' ? (ensure.oneOf ?? []) : [],
    providers: providers.map(({ name }) => name),
    properties: Object.entries(properties).map(([name, spec]) => describeProperty(name, spec)),
  }
}

function describeProperty(name: string, spec: PropertySpec): PropertyDescription {
  return {
    name,
    kind: kindOf(spec),
    required: spec.required === true,
    summary: spec.summary,
    ...(spec.aliases === undefined ? {} : { aliases: spec.aliases }),
    ...(spec.kind === 'text' && spec.oneOf !== undefined ? { values: spec.oneOf } : {}),
    ...('default' in spec && spec.default !== undefined ? { default: spec.default } : {}),
  }
}

function kindOf(spec: PropertySpec): string {
  if (spec.kind === 'list') return `list of ${kindOf(spec.items)}`
  return spec.kind === 'map' ? `map of ${kindOf(spec.values)}` : spec.kind
}

function formatProperty({ kind, required, summary, aliases, values, ...rest }: PropertyDescription): string {
  const facts = [
    values === undefined ? kind : values.join(' | '),
    ...(required ? ['required'] : []),
    ...(rest.default === undefined ? [] : [`default ${rest.default}`]),
    ...(aliases === undefined ? [] : [`also ${aliases.join(', ')}`]),
  ]
  return `${facts.join(', ')}. ${summary}`
}
