import { parseDocument } from 'yaml'
import type { PropertySpec } from '../../model/property.ts'
import type { ResourceType } from '../../resource-type/define.ts'
import { commonProperties } from './common.ts'
import { type JsonSchema, policySchema, TEMPLATE } from './schema.ts'

/**
 * The JSON Schema of policies for editors: that of the reader, plus checks that the reader does in code. It includes
 * the providers of each type, required and exclusive properties, and examples.
 */
export function editorSchema(types: readonly ResourceType[]): JsonSchema {
  const { definitions, required: _ccm, ...schema } = policySchema(types)
  const known = asSchema(definitions)
  const additions = types.flatMap((type) => [
    [type.type, ownSchema(type, asSchema(known[type.type]))] as const,
    [bodyOf(type), bodySchema(type, asSchema(known[bodyOf(type)]))] as const,
  ])
  return {
    ...schema,
    properties: { ...asSchema(schema['properties']), catalogue: catalogueSchema },
    anyOf: [{ required: ['ccm'] }, { required: ['catalogue'] }],
    definitions: { ...known, ...Object.fromEntries(additions) },
  }
}

/** The key of a type's body in the definitions. */
function bodyOf({ type }: ResourceType): string {
  return `${type}:body`
}

function ownSchema(type: ResourceType, schema: JsonSchema): JsonSchema {
  const complete = completeBody(type)
  return {
    ...schema,
    ...(complete === undefined ? {} : { allOf: [{ if: { type: 'array' }, then: complete.list, else: complete.map }] }),
    examples: type.examples.flatMap(({ yaml }) => exampleOf(type, yaml)),
  }
}

/** The body of an example of the type; empty if it is invalid. */
function exampleOf({ type }: ResourceType, yaml: string): readonly unknown[] {
  const document = parseDocument(yaml)
  const item: unknown = document.errors.length === 0 ? document.toJS() : undefined
  const example = asSchema(item)[type]
  return example === undefined ? [] : [example]
}

/** Required properties in either form. A list with defaults may provide them there. */
function completeBody({
  properties,
}: ResourceType): { readonly list: JsonSchema; readonly map: JsonSchema } | undefined {
  const needed = Object.entries(properties).filter(([name, spec]) => name !== 'name' && isNeeded(spec))
  if (needed.length === 0) return undefined
  const allOf = needed.map(([name, { aliases = [] }]) =>
    aliases.length === 0 ? { required: [name] } : { anyOf: [name, ...aliases].map((each) => ({ required: [each] })) },
  )
  return {
    list: {
      if: { not: { contains: { type: 'object', required: ['defaults'] } } },
      then: { items: { type: 'object', additionalProperties: { type: 'object', allOf } } },
    },
    map: { allOf },
  }
}

function isNeeded(spec: PropertySpec): boolean {
  return spec.required === true && !('default' in spec && spec.default !== undefined)
}

function bodySchema(type: ResourceType, schema: JsonSchema): JsonSchema {
  const { providers } = type
  const names = providers.map(({ name }) => name)
  const provider = {
    description: `${String(commonProperties['provider']?.['description'])} One of: ${names.join(', ')}.`,
    anyOf: [{ enum: names }, { type: 'string', pattern: TEMPLATE }, { type: 'null' }],
  }
  const together = type.exclusive.flatMap((group) => contradictions(type, group))
  return {
    ...schema,
    properties: { ...asSchema(schema['properties']), provider },
    ...(together.length === 0 ? {} : { not: { anyOf: together } }),
  }
}

/** Every pair of a group that is set, in each spelling. `null` counts as unset. */
function contradictions({ properties }: ResourceType, group: readonly string[]): readonly JsonSchema[] {
  const spellings = group.map((name) => [name, ...(properties[name]?.aliases ?? [])])
  const set = { not: { type: 'null' } }
  return spellings.flatMap((left, index) =>
    spellings
      .slice(index + 1)
      .flatMap((right) =>
        left.flatMap((one) =>
          right.map((other) => ({ type: 'object', required: [one, other], properties: { [one]: set, [other]: set } })),
        ),
      ),
  )
}

function asSchema(value: unknown): JsonSchema {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

/** The JSON Schema of the `catalogue` section of a policy. */
const catalogueSchema: JsonSchema = {
  type: 'object',
  description: 'Controls from a catalogue.',
  properties: {
    from: {
      anyOf: [{ type: 'string' }, { type: 'array', minItems: 1, items: { type: 'string' } }],
      description: 'Directories of controls next to the policy, or @catalogue, the shipped catalogue.',
    },
    variant: {
      type: 'string',
      description: 'The variant to use for controls with variants; by default the id of the policy.',
    },
    references: {
      enum: ['all', 'own'],
      default: 'all',
      description: 'Whether a control refers to its numbers in all lists of the catalogue or in this one only.',
    },
    parameters: { type: 'object', description: 'Values that override those of the catalogue.' },
    applies: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Conditions by prefix of the type#name or type#named_by of resources.',
    },
    controls: {
      type: 'array',
      minItems: 1,
      items: { type: 'string', pattern: '^(\\S+ +)?(L\\d+ +)?[\\w.-]+$' },
      description: 'The controls, each as ID, NUMBER ID or NUMBER L1 ID.',
    },
  },
  required: ['from', 'controls'],
  additionalProperties: false,
}
