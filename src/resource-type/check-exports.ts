import type { ExportSpec, ExportSpecs } from '../model/exported.ts'

type Values = Readonly<Record<string, unknown>>

/**
 * The exported values without undefined ones. Throws an `Error` for a value that the type does not declare or that is
 * of another kind: both are defects of the type.
 */
export function checkExports(specs: ExportSpecs, values: Values): Values {
  const present = Object.entries(values).filter(([, value]) => value !== undefined && value !== null)
  for (const [name, value] of present) {
    const spec = Object.hasOwn(specs, name) ? specs[name] : undefined
    if (spec === undefined) throw new Error(`the exported value "${name}" is not declared`)
    if (!isOfKind(spec, value)) throw new Error(`the exported value "${name}" must be ${KIND_NOUNS[spec.kind]}`)
  }
  return Object.fromEntries(present)
}

const KIND_NOUNS: Readonly<Record<ExportSpec['kind'], string>> = {
  text: 'a text',
  boolean: 'a boolean',
  integer: 'an integer',
  list: 'a list of the declared kind',
  map: 'a map of the declared kind',
  any: 'data',
}

function isOfKind(spec: ExportSpec, value: unknown): boolean {
  switch (spec.kind) {
    case 'text':
      return typeof value === 'string'
    case 'boolean':
      return typeof value === 'boolean'
    case 'integer':
      return Number.isSafeInteger(value)
    case 'list':
      return Array.isArray(value) && value.every((item: unknown) => isOfKind(spec.items, item))
    case 'map':
      return isPlainMap(value) && Object.values(value).every((item) => isOfKind(spec.values, item))
    case 'any':
      return typeof value !== 'function' && typeof value !== 'symbol'
  }
}

function isPlainMap(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
