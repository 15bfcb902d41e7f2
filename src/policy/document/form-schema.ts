/** A JSON Schema, draft 7, or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** What a value keeps its source text of. */
export const TEXT: JsonSchema = { type: ['string', 'number', 'boolean'] }

/** A map as `checkKeys` wants it: these keys, and free ones. */
export function mapSchema(required: readonly string[], properties: JsonSchema): JsonSchema {
  return { type: 'object', required, properties, patternProperties: { '^x-': true }, additionalProperties: false }
}
