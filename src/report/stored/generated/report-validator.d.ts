import type { ValidateFunction } from 'ajv'
import type { Run } from '../../../model/run.ts'

/** `schemas/report.schema.json`, compiled by `npm run generate`. */
export declare const validateReport: ValidateFunction<Run>
