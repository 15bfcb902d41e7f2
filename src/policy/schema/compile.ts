import { Ajv, type Options } from 'ajv'
import type { ResourceType } from '../../resource-type/define.ts'
import { shapeSchema } from './schema.ts'
import type { StructureValidator } from '../read/structure.ts'

/** Options of ajv that produce the errors which the reader explains. */
export const SCHEMA_OPTIONS: Readonly<Options> = {
  allErrors: true,
  verbose: true,
  allowUnionTypes: true,
  strictTypes: false,
  strictRequired: false,
  inlineRefs: false,
}

/**
 * Validates the shape of policies with these types. Compiling the bodies of all types takes half a second, so each
 * document's schema has the bodies of the types that the document uses.
 */
export function compilePolicySchema(types: readonly ResourceType[]): StructureValidator {
  const compiled = new Map<string, StructureValidator>()
  const validate: StructureValidator = (document) => {
    const names = new Set(resourcesOf(document).flatMap((resource) => Object.keys(Object(resource))))
    const used = types.filter(({ type }) => names.has(type))
    const key = used.map(({ type }) => type).join(' ')
    const validator = compiled.get(key) ?? new Ajv(SCHEMA_OPTIONS).compile(shapeSchema(types, used))
    compiled.set(key, validator)
    const isValid = validator(document)
    validate.errors = validator.errors ?? null
    return isValid
  }
  return validate
}

function resourcesOf(document: unknown): readonly unknown[] {
  const { ccm } = Object(document)
  const { resources } = Object(ccm)
  return Array.isArray(resources) ? resources : []
}
