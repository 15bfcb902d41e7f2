import type { JsonSchema } from './schema.ts'

/** The JSON Schema of the `catalogue` section of a policy. */
export const catalogueSchema: JsonSchema = {
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
