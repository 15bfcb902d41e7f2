/** A JSON Schema, draft 7, or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** A value that is read as its source text. */
export const TEXT: JsonSchema = { type: ['string', 'number', 'boolean'] }

/** The schema of a map that `checkKeys` accepts: these keys, and free ones. */
export function mapSchema(required: readonly string[], properties: JsonSchema): JsonSchema {
  return { type: 'object', required, properties, patternProperties: { '^x-': true }, additionalProperties: false }
}
