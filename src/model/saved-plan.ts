import type { ResourceResult, Run } from './run.ts'
import type { Verdict } from './verdict.ts'

/**
 * An audit that can be applied later, `driftgate.plan/v1`. Fields are only ever added. JSON Schema:
 * `schemas/plan.schema.json`. Its fingerprints are keyed with an identity that only the machine has, so they show
 * nothing but whether two values differ.
 */
export interface SavedPlan {
  readonly schema: 'driftgate.plan/v1'
  /** Makes its fingerprints differ from those of every other plan. Hex. */
  readonly salt: string
  /** Fingerprint of the machine that the plan was made on. */
  readonly host: string
  /** The operator's inputs in addition to the policies. */
  readonly inputs: readonly PlanInput[]
  /** The drifted resources, in the order of the fix, including those that cannot be fixed. */
  readonly changes: readonly PlannedChange[]
  /**
   * The expected results of a second audit: changed resources, their dependents, and results that differ from this
   * audit. All other results stay the same.
   */
  readonly expected?: readonly Expectation[]
  /** The audit: observed and desired values, planned actions, and the digests of the policies. */
  readonly audit: Run
  /** The fix order that limits the plan, for the run that applies it. */
  readonly order?: string
}

/** An operator's input in addition to the policies. */
export interface PlanInput {
  readonly option: string
  /** The file; undefined for a value on the command line. */
  readonly path?: string
  readonly fingerprint: string
}

/** The fingerprints of a planned change. The result in the audit has the rest. */
export interface PlannedChange extends Pick<ResourceResult, 'id' | 'path'> {
  readonly policy: string
  /** Fingerprint of the declaration as written. */
  readonly declared: string
  /** Fingerprint of the expanded values. */
  readonly wanted: string
  /** Fingerprint of the differences and the planned action. */
  readonly observed: string
  /** Why the observed state may be another one when the plan is applied: the change of an earlier resource it depends on. */
  readonly assumed?: string
  /** Set if it reads an exported value of that change, so that the desired values may change, too. */
  readonly readsAssumed?: true
}

/** The expected result of a resource after the plan was applied. */
export interface Expectation extends Pick<ResourceResult, 'id' | 'path'> {
  readonly policy: string
  /** Undefined if it is known only after applying the plan. */
  readonly verdict?: Verdict
  /** Why it is not compliant. */
  readonly message?: string
  /** The earlier resources whose change affects it unpredictably; the verdict is then an assumption. */
  readonly hangsOn?: readonly string[]
}

/** A unique key of a resource in a run. */
export function placeOf(policy: string, { path = [], id }: Pick<ResourceResult, 'id' | 'path'>): string {
  return JSON.stringify([policy, ...path, id])
}
