import type { ResourceResult, Run } from './run.ts'
import type { Verdict } from './verdict.ts'

/**
 * An audit that can be carried out later, `driftgate.plan/v1`. Fields are only ever added. The JSON Schema is
 * `schemas/plan.schema.json`. Its fingerprints are keyed with what only the machine knows, so they tell two values apart and
 * nothing more.
 */
export interface SavedPlan {
  readonly schema: 'driftgate.plan/v1'
  /** Makes its fingerprints unlike those of every other plan. Hex. */
  readonly salt: string
  /** The fingerprint of the machine it was made on. */
  readonly host: string
  /** What the operator gave beside the policies. */
  readonly inputs: readonly PlanInput[]
  /** What a fix would do, and what it would do something about and cannot, in the order in which it does. */
  readonly changes: readonly PlannedChange[]
  /**
   * What a second audit is expected to report: changed resources, those that depend on them, and results that it reports
   * something else of than the audit. Everything else stays as it is.
   */
  readonly expected?: readonly Expectation[]
  /** What was found, what is wanted, what would be done, and the digests of the policies. */
  readonly audit: Run
  /** The order that it was cut down to, for the run that carries it out. */
  readonly order?: string
}

/** Something the operator gave beside the policies. */
export interface PlanInput {
  readonly option: string
  /** The file; absent for what the command line itself says. */
  readonly path?: string
  readonly fingerprint: string
}

/** What a plan knows of a resource that would be changed. The result in the audit says the rest. */
export interface PlannedChange extends Pick<ResourceResult, 'id' | 'path'> {
  readonly policy: string
  /** What the policy says of the resource, as it is written. */
  readonly declared: string
  /** What that means: every value, with its templates expanded. */
  readonly wanted: string
  /** What differs from it, and what would be done. */
  readonly observed: string
  /** What an earlier change would have to bring about first, so that what is found then may be something else. */
  readonly assumed?: string
  /** Whether that is a value, so that what is wanted may be something else, too. */
  readonly readsAssumed?: true
}

/** What is expected of a resource once the plan was carried out. */
export interface Expectation extends Pick<ResourceResult, 'id' | 'path'> {
  readonly policy: string
  /** Absent where only carrying out the plan will tell. */
  readonly verdict?: Verdict
  /** Why it is not compliant. */
  readonly message?: string
  /** That it is assumed: the earlier resources whose change affects it in an unpredictable way. */
  readonly hangsOn?: readonly string[]
}

/** What tells the resources of a run apart. */
export function placeOf(policy: string, { path = [], id }: Pick<ResourceResult, 'id' | 'path'>): string {
  return JSON.stringify([policy, ...path, id])
}
