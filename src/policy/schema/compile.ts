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

export function compilePolicySchema(types: readonly ResourceType[]): StructureValidator {
  return new Ajv(SCHEMA_OPTIONS).compile(shapeSchema(types))
}
