import { defined } from '../../model/defined.ts'
import { type Field, FIELD_NAMES, type FieldName, FIELDS, RESOURCE_PATTERN } from './fields.ts'

type JsonSchema = Readonly<Record<string, unknown>>

// A value that is read as its source text.
const TEXT: JsonSchema = { type: ['string', 'number', 'boolean'] }

const PATTERNS: Readonly<Partial<Record<FieldName, string>>> = {
  resource: RESOURCE_PATTERN,
  control: '^[^#]+$',
  created: String.raw`^\d{4}-\d{2}-\d{2}$`,
  expires: String.raw`^\d{4}-\d{2}-\d{2}$`,
}

/** The JSON Schema (draft 7) of waiver files for editors; the reader checks more. */
export function waiversSchema(): JsonSchema {
  const properties = FIELD_NAMES.map((name) => [name, fieldSchema(name)])
  const required = FIELD_NAMES.filter((name) => fieldOf(name).isRequired === true)
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'driftgate waivers',
    description: 'Drift that is accepted until a date, passed to driftgate scan with --waivers.',
    type: 'object',
    required: ['waivers'],
    properties: { waivers: { type: 'array', items: { $ref: '#/definitions/waiver' } } },
    patternProperties: { '^x-': true },
    additionalProperties: false,
    definitions: {
      waiver: {
        type: 'object',
        required,
        properties: Object.fromEntries(properties),
        patternProperties: { '^x-': true },
        additionalProperties: false,
        oneOf: [{ required: ['resource'] }, { required: ['control'] }],
        dependencies: { value: ['property'] },
      },
    },
  }
}

function fieldOf(name: FieldName): Field {
  return FIELDS[name]
}

function fieldSchema(name: FieldName): JsonSchema {
  const { description, examples } = fieldOf(name)
  const pattern = PATTERNS[name] ?? (name === 'value' ? undefined : '.')
  return { ...TEXT, ...defined({ pattern }), description, examples }
}
