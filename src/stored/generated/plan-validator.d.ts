import type { ValidateFunction } from 'ajv'
import type { Run } from '../../core/run.ts'
import type { SavedPlan } from '../../core/saved-plan.ts'

/** `schemas/plan.schema.json`, compiled by `npm run generate`. It leaves the audit to the validator of reports. */
export declare const validatePlan: ValidateFunction<Omit<SavedPlan, 'audit'> & { readonly audit: Partial<Run> }>
