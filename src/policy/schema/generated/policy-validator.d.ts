import type { StructureValidator } from '../../read/structure.ts'

/** The shape of policies with the types that ship, compiled by `npm run generate`. */
export declare const validatePolicy: StructureValidator
