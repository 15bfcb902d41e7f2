import type { StructureValidator } from '../../read/structure.ts'

/** `schemas/policy.schema.json`, compiled by `npm run generate`. */
export declare const validatePolicy: StructureValidator
