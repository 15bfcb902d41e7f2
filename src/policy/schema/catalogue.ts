import type { JsonSchema } from './schema.ts'

/** The JSON Schema of the `catalogue` section of a policy. */
export const catalogueSchema: JsonSchema = {
  type: 'object',
  description: 'Controls that are taken from a catalogue.',
  properties: {
    from: {
      anyOf: [{ type: 'string' }, { type: 'array', minItems: 1, items: { type: 'string' } }],
      description: 'Folders of controls beside the policy, or @catalogue, which ships.',
    },
    variant: {
      type: 'string',
      description: 'Which resources are taken where a control has variants; by default the id of the policy.',
    },
    references: {
      enum: ['all', 'own'],
      default: 'all',
      description: 'Whether a control refers to its numbers in all lists of the catalogue or in this one alone.',
    },
    parameters: { type: 'object', description: 'Values in place of those of the catalogue.' },
    applies: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Conditions by the beginning of the type#name of resources.',
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
