import type { ValidateFunction } from 'ajv'
import type { Run } from '../../../model/run.ts'
import type { SavedPlan } from '../../../model/saved-plan.ts'

/** `schemas/plan.schema.json`, compiled by `npm run generate`. It leaves the audit to the validator of reports. */
export declare const validatePlan: ValidateFunction<Omit<SavedPlan, 'audit'> & { readonly audit: Partial<Run> }>
