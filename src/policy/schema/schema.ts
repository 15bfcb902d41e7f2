import { defined } from '../../model/defined.ts'
import { acceptanceSchema } from '../../model/acceptance.ts'
import type { IntegerSpec, PropertySpec, TextSpec } from '../../model/property.ts'
import { ORDER_CONDITIONS } from '../../model/value-orders.ts'
import { SEVERITIES } from '../../model/verdict.ts'
import { orderOf } from '../../resource-type/decode-value.ts'
import type { ResourceType } from '../../resource-type/define.ts'
import { commonProperties } from './common.ts'

/** A JSON Schema, draft 7. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** The pattern of a text with a template. */
export const TEMPLATE = '\\{\\{|\\$\\{'
const TEXT_TYPES = ['string', 'number', 'boolean']

/**
 * The JSON Schema of policies with these resource types, the base of the editor schema. `$comment` has the wording of
 * an error at that position.
 */
export function policySchema(types: readonly ResourceType[]): JsonSchema {
  return schemaOf(types, (spec) => ({ ...valueSchema(spec), description: spec.summary }))
}

/**
 * The schema without the definitions of a type's properties, which are most of it: the types check those themselves,
 * with support for templates and `defaults`. It accepts any body of the types that are not used.
 */
export function shapeSchema(types: readonly ResourceType[], used: readonly ResourceType[] = types): JsonSchema {
  return schemaOf(types, () => ({}), used)
}

type PropertySchema = (spec: PropertySpec) => JsonSchema

function schemaOf(types: readonly ResourceType[], propertySchema: PropertySchema, used = types): JsonSchema {
  // Type names contain no colon, so the keys cannot collide.
  const common = Object.entries(commonProperties).map(([name, schema]) => [`common:${name}`, schema] as const)
  const bodies = used.flatMap((type) => Object.entries(bodySchemas(type, propertySchema)))
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'driftgate policy',
    description: 'A manifest of desired states, readable by Choria Configuration Manager, with compliance metadata.',
    ...map(
      {
        data: { ...optionalMap, description: 'Data that templates and control expressions look up.' },
        hierarchy: hierarchySchema,
        overrides: {
          ...optionalMap,
          additionalProperties: { type: ['object', 'null'] },
          description: 'Data that replaces or extends `data`, by the names the hierarchy resolves to.',
        },
        ccm: ccmSchema(types, used),
        policy: metadataSchema,
      },
      ['ccm'],
    ),
    patternProperties: { '^x-': true },
    definitions: Object.fromEntries([...common, ...bodies]),
  }
}

function map(properties: JsonSchema, required: readonly string[] = []): JsonSchema {
  return { type: 'object', properties, additionalProperties: false, ...(required.length > 0 ? { required } : {}) }
}

const optionalMap: JsonSchema = { type: ['object', 'null'] }

function text(description: string): JsonSchema {
  return { type: TEXT_TYPES, description }
}

const hierarchySchema: JsonSchema = {
  ...map(
    {
      order: { type: 'array', items: text('A name, usually with templates.') },
      merge: { enum: ['first', 'deep'], default: 'first' },
    },
    ['order'],
  ),
  description: 'Which overrides apply and how they are merged.',
}

function ccmSchema(types: readonly ResourceType[], used: readonly ResourceType[]): JsonSchema {
  const bodies = types.map((each) => [each.type, used.includes(each) ? { $ref: `#/definitions/${each.type}` } : {}])
  const properties = {
    resources: {
      type: 'array',
      description: 'The resources, in order of evaluation.',
      items: {
        ...map(Object.fromEntries(bodies)),
        minProperties: 1,
        maxProperties: 1,
      },
    },
    resources_jet_file: text('A Jet template next to the policy that renders the list of resources.'),
    fail_on_error: { type: 'boolean', default: false, description: 'Stop after the first resource that fails.' },
    pre_message: text('Shown before the run.'),
    post_message: text('Shown after a run without errors.'),
  }
  return {
    ...map(properties),
    if: { type: 'object', not: { required: ['resources_jet_file'] } },
    then: { required: ['resources'] },
  }
}

const controlSchema: JsonSchema = map(
  {
    id: { ...text('The id of the control in reports, selections and waivers.'), pattern: '.' },
    title: text('The requirement in one sentence.'),
    severity: { enum: SEVERITIES, default: 'medium' },
    description: text('The reason for the requirement.'),
    remediation: text('How to meet the requirement.'),
    references: {
      type: 'object',
      additionalProperties: { type: 'array', items: { type: TEXT_TYPES } },
      description: 'Identifiers in public catalogues, by catalogue.',
    },
    tags: { type: 'array', items: { type: TEXT_TYPES } },
    manual: {
      type: 'boolean',
      default: false,
      description: 'Manual (needs review): reported as not evaluated if no resource fails.',
    },
    resources: {
      type: 'array',
      items: { type: TEXT_TYPES },
      description: 'The resources that support it, as type#name or type#alias.',
    },
  },
  ['id'],
)

const metadataSchema: JsonSchema = {
  ...map({
    id: { ...text('By default the file name without its extension.'), pattern: '.' },
    title: text('The title of the policy.'),
    version: text('The version of the policy.'),
    description: text('The purpose of the policy.'),
    parameters: {
      type: 'object',
      additionalProperties: map({
        meaning: text('The meaning of the value.'),
        one_of: { type: 'array', minItems: 1, items: { type: TEXT_TYPES }, description: 'The only accepted values.' },
      }),
      description: 'The keys of data that a site can set; any other key of --set or --data is an error.',
    },
    controls: { type: 'array', items: controlSchema },
  }),
  description: 'Compliance metadata, which Choria Configuration Manager ignores.',
}

/** The schemas of a type: a body in either form, and the properties with and without a required name. */
function bodySchemas(
  { type, summary, properties, subscribes }: ResourceType,
  propertySchema: PropertySchema,
): Record<string, JsonSchema> {
  const own: Record<string, JsonSchema> = {}
  for (const [name, spec] of Object.entries(properties)) {
    const schema = propertySchema(spec)
    for (const spelling of [name, ...(spec.aliases ?? [])]) own[spelling] = schema
  }
  own['name'] = { type: TEXT_TYPES, description: properties['name']?.summary ?? 'The name.' }
  const common = Object.keys(commonProperties)
    .filter((name) => subscribes || name !== 'subscribe')
    .map((name) => [name, { $ref: `#/definitions/common:${name}` }])
  const all = { ...Object.fromEntries(common), ...own }
  const body = { $ref: `#/definitions/${type}:body` }
  return {
    [type]: {
      description: summary,
      $comment: 'must be a list of named resources, or a map with a name',
      type: ['array', 'object'],
      if: { type: 'array' },
      then: {
        minItems: 1,
        items: {
          type: 'object',
          $comment: 'must be a map of a name to its properties',
          minProperties: 1,
          maxProperties: 1,
          properties: {
            defaults: {
              allOf: [body],
              properties: { name: false },
              description: `Properties of every ${type} in this list that does not set them itself.`,
            },
          },
          additionalProperties: body,
        },
      },
      else: { if: { type: 'object' }, then: { allOf: [body], required: ['name'] } },
    },
    [`${type}:body`]: { ...map(all), type: ['object', 'null'], $comment: 'must be a map of properties' },
  }
}

/** A text and the value that YAML reads without quotes; both are accepted. */
function spellingsOf(word: string): readonly unknown[] {
  if (word === 'true' || word === 'false') return [word, word === 'true']
  const number = Number(word)
  return Number.isFinite(number) && String(number) === word ? [word, number] : [word]
}

/** The values of a property in editors: the value, a template, or null. */
function valueSchema(spec: PropertySpec): JsonSchema {
  if (spec.kind === 'any') return {}
  const choices: JsonSchema[] = [
    literalSchema(spec),
    ...(spec.phase === 'never' ? [] : [{ type: 'string', pattern: TEMPLATE }]),
  ]
  choices.push(...acceptanceSchemas(spec))
  const normal = 'default' in spec && spec.kind !== 'duration' ? { default: spec.default } : {}
  return { anyOf: [...choices, { type: 'null' }], ...normal }
}

/** The acceptances of a property, if its values have an order. */
function acceptanceSchemas(spec: PropertySpec): JsonSchema[] {
  const order = orderOf(spec)
  return order === undefined ? [] : [acceptanceSchema(ORDER_CONDITIONS[order], memberSchema(spec), itemSchema(spec))]
}

function literalSchema(spec: PropertySpec): JsonSchema {
  switch (spec.kind) {
    case 'text':
      return textSchema(spec)
    case 'boolean':
      return { type: 'boolean' }
    case 'integer':
      return integerSchema(spec)
    case 'duration':
      return {
        type: ['string', 'integer'],
        pattern: '^(0|([0-9.]+(ns|us|µs|μs|ms|[smhdDwWMyY]))+)$',
        maximum: 0,
        minimum: 0,
      }
    case 'list':
      return { type: 'array', items: memberSchema(spec.items), ...(spec.nonEmpty === true ? { minItems: 1 } : {}) }
    case 'map':
      return {
        type: 'object',
        additionalProperties: entrySchema(spec.values),
        ...(spec.nonEmpty === true ? { minProperties: 1 } : {}),
      }
    case 'any':
      return {}
  }
}

function entrySchema(values: PropertySpec): JsonSchema {
  const accepted = acceptanceSchemas(values)
  return accepted.length === 0 ? memberSchema(values) : { anyOf: [memberSchema(values), ...accepted] }
}

/** The type checks digits of other bases: JSON has only decimal numbers. */
function integerSchema({ minimum, maximum, oneOf, base }: IntegerSpec): JsonSchema {
  if (base !== undefined) return { type: ['integer', 'string'], pattern: '^[+-]?[0-9A-Za-z]+$' }
  if (oneOf !== undefined) return { enum: oneOf }
  return {
    type: 'integer',
    ...defined({ minimum, maximum }),
  }
}

/** An item of a list; for other kinds the value itself. */
function itemSchema(spec: PropertySpec): JsonSchema {
  return memberSchema(spec.kind === 'list' ? spec.items : spec)
}

function memberSchema(spec: PropertySpec): JsonSchema {
  return spec.kind === 'any' ? {} : { anyOf: [literalSchema(spec), { type: 'string', pattern: TEMPLATE }] }
}

function textSchema(spec: TextSpec): JsonSchema {
  if (spec.oneOf !== undefined) return { enum: spec.oneOf.flatMap(spellingsOf) }
  if (spec.absolutePath === true) return { type: 'string', pattern: '^/' }
  if (spec.pattern !== undefined) return { type: TEXT_TYPES, pattern: `^(?:${spec.pattern.expression})$` }
  return spec.nonEmpty === true ? { type: TEXT_TYPES, pattern: '.' } : { type: TEXT_TYPES }
}
