import { type JsonSchema, mapSchema, TEXT } from '../../policy/document/form-schema.ts'
import { NAME, NAME_RULE } from './inventory.ts'
import { DATA_KEY } from './read.ts'

const NAMED: JsonSchema = { ...TEXT, pattern: NAME.source }

const LABELS: JsonSchema = {
  type: 'object',
  additionalProperties: TEXT,
  description: 'Strings that reports show with the target, and that --on selects by.',
}

const DATA: JsonSchema = {
  type: 'object',
  propertyNames: { pattern: DATA_KEY.source },
  description: 'Data of policies, over that of files and under --set.',
}

/**
 * JSON Schema (draft 7) of driftgate inventories for editors; the reader checks more. `target` is the schema of a
 * target text.
 */
export function inventorySchema(target: JsonSchema): JsonSchema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'driftgate inventory',
    description: 'Targets with groups, labels and data, passed to driftgate scan with --targets.',
    ...mapSchema(['targets'], {
      targets: { type: 'array', minItems: 1, items: { $ref: '#/definitions/target' } },
      groups: {
        type: 'object',
        propertyNames: { pattern: NAME.source },
        additionalProperties: { $ref: '#/definitions/group' },
        description: 'Settings shared by several targets.',
      },
    }),
    definitions: {
      target: mapSchema(['name', 'target'], {
        name: { ...NAMED, description: `Its name in reports; ${NAME_RULE}.` },
        target: { ...TEXT, ...target },
        labels: LABELS,
        data: DATA,
      }),
      group: mapSchema(['targets'], {
        targets: { type: 'array', items: NAMED, description: 'The names of its targets.' },
        labels: LABELS,
        data: DATA,
      }),
    },
  }
}
