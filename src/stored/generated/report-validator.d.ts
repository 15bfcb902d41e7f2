import type { ValidateFunction } from 'ajv'
import type { Run } from '../../core/run.ts'

/** `schemas/report.schema.json`, compiled by `npm run generate`. */
export declare const validateReport: ValidateFunction<Run>
