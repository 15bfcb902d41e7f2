import type { StructureValidator } from '../structure.ts'

/** `schemas/policy.schema.json`, compiled by `npm run generate`. */
export declare const validatePolicy: StructureValidator
