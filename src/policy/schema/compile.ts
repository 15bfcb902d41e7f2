import { Ajv, type Options } from 'ajv'
import type { ResourceType } from '../../resource-type/define.ts'
import { policySchema } from './schema.ts'
import type { StructureValidator } from '../read/structure.ts'

/** How the schema of policies is compiled, so that its errors are those that the reader explains. */
export const SCHEMA_OPTIONS: Readonly<Options> = {
  allErrors: true,
  verbose: true,
  allowUnionTypes: true,
  strictTypes: false,
  strictRequired: false,
  inlineRefs: false,
}

/** Compiles the schema of policies that use these types. Throws an `Error` for a pattern that is no regular expression. */
export function compilePolicySchema(types: readonly ResourceType[]): StructureValidator {
  return new Ajv(SCHEMA_OPTIONS).compile(policySchema(types))
}
