import { OperatorError } from '../../model/operator-error.ts'
import type { SavedPlan } from '../../model/saved-plan.ts'
import { systemReason } from '../../model/system-reason.ts'
import { readWhole } from '../../host/live/read-whole.ts'
import { checkReport, describeViolation, LARGEST_REPORT_BYTES } from './read-report.ts'

const SCHEMA: SavedPlan['schema'] = 'driftgate.plan/v1'

/**
 * Reads a plan written by `scan --save-plan`. Throws an `OperatorError` with the file, and the path in it that violates
 * `schemas/plan.schema.json`.
 */
export async function readPlan(path: string): Promise<SavedPlan> {
  const plan = parse(path)
  const schema = typeof plan === 'object' && plan !== null && 'schema' in plan ? plan.schema : undefined
  if (schema !== SCHEMA) {
    const found = typeof schema === 'string' ? `it says "schema": "${schema}"` : 'it has no schema'
    throw cannotUse(path, `${found}, but a plan of scan --save-plan has ${SCHEMA}`)
  }
  const { validatePlan } = await import('./generated/plan-validator.js')
  if (!validatePlan(plan))
    throw cannotUse(path, `it is not a valid plan: ${describeViolation(validatePlan.errors ?? [])}`)
  return { ...plan, audit: await checkReport(plan.audit, path) }
}

function parse(path: string): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(readWhole(path, LARGEST_REPORT_BYTES)))
  } catch (error) {
    const reason = error instanceof SyntaxError ? `it is not JSON: ${error.message}` : systemReason(error)
    throw cannotUse(path, reason, error)
  }
}

function cannotUse(path: string, reason: string, cause?: unknown): OperatorError {
  return new OperatorError(`cannot use the plan ${path}: ${reason}`, { cause })
}
