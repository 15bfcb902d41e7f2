import type { ResourceResult } from '../model/run.ts'

/** A change that a fix is about to make or, in an audit, would make. */
export interface Proposal {
  /** Id of the top-level policy. */
  readonly policy: string
  /** Redacted report result: drifted, or compliant and about to react. */
  readonly result: ResourceResult
  /** Declared properties, desired state and decision. May contain secrets. */
  readonly declared: unknown
  readonly wanted: unknown
  readonly decided: unknown
  /** True if a fix attempts the change; otherwise an obstacle prevents it. */
  readonly isTried: boolean
  /** Effect of an earlier change that this one requires. */
  readonly assumption?: Assumption
}

/** A condition expected to hold by the turn of the resource. */
export interface Assumption {
  readonly reason: string
  /** True if it is a value that the resource reads. */
  readonly isRead: boolean
}

/** Rejects a change: the resource is left unchanged, or it is refused and fails together with its dependents. */
export interface Veto {
  readonly kind: 'left' | 'refused'
  readonly reason: string
}

/** Called before a resource is changed. */
export type Reviewer = (proposal: Proposal) => Veto | undefined | Promise<Veto | undefined>
