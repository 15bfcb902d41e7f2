import { commonProperties } from '../../policy/schema/common.ts'
import type { PropertyReference } from './model.ts'
import { rangeOf } from './words.ts'

type Schema = Readonly<Record<string, unknown>>

/** Properties of every resource type, from the schema that policies are read with. */
export function describeCommon(): readonly PropertyReference[] {
  return Object.entries(commonProperties).map(([name, schema]) => {
    const [property, ...parts] = describeSchema(name, schema, false)
    return { ...property, ...(parts.length === 0 ? {} : { parts }) }
  })
}

/** Common properties of a type. */
export function commonNames({ subscribes }: { readonly subscribes: boolean }): readonly string[] {
  return Object.keys(commonProperties).filter((name) => subscribes || name !== 'subscribe')
}

function describeSchema(
  name: string,
  schema: Schema,
  required: boolean,
): readonly [PropertyReference, ...PropertyReference[]] {
  const { description, enum: values, default: normal } = schema
  const constraints = constraintsOf(schema)
  const property: PropertyReference = {
    name,
    kind: kindOf(schema),
    required,
    summary: typeof description === 'string' ? description : '',
    ...(Array.isArray(values) ? { values: values.map(String) } : {}),
    ...(isScalar(normal) ? { default: normal } : {}),
    ...(constraints.length === 0 ? {} : { constraints }),
  }
  return [property, ...keysOf(name, schema)]
}

/** Keys of a map, or of the maps in a list. */
function keysOf(name: string, schema: Schema): readonly PropertyReference[] {
  const items = asSchema(schema['items'])
  if (items !== undefined) return keysOf(`${name}[]`, items)
  const required: unknown = schema['required']
  return Object.entries(asSchema(schema['properties']) ?? {}).flatMap(([key, value]) =>
    describeSchema(`${name}.${key}`, asSchema(value) ?? {}, Array.isArray(required) && required.includes(key)),
  )
}

function kindOf(schema: Schema): string {
  const types: readonly unknown[] = [schema['type']].flat()
  if (types.includes('array')) return `list of ${kindOf(asSchema(schema['items']) ?? {})}`
  if (types.includes('object')) {
    const values = asSchema(schema['additionalProperties'])
    return values === undefined ? 'map' : `map of ${kindOf(values)}`
  }
  if (types.includes('integer')) return 'integer'
  if (types.includes('string') || schema['enum'] !== undefined) return 'text'
  return types.includes('boolean') ? 'boolean' : 'any'
}

/** Limits of a number, or the reader's error text. */
function constraintsOf(schema: Schema): readonly string[] {
  const { minimum, maximum, $comment: words } = schema
  const range = rangeOf({ minimum: asNumber(minimum), maximum: asNumber(maximum) })
  if (range.length > 0 || typeof words !== 'string') return range
  return [words.replace(/^must be /, '')]
}

function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

function asSchema(value: unknown): Schema | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
}
