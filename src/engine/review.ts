import type { ResourceResult } from '../model/run.ts'

/** What a fix is about to do about one resource, or in an audit what it would do. */
export interface Proposal {
  /** The id of the policy that was given to the run. */
  readonly policy: string
  /** As a report shows it, without secrets: drifted, or compliant and about to react to a change. */
  readonly result: ResourceResult
  /** What the policy says, what that means, and what a look decided. They may hold secrets. */
  readonly declared: unknown
  readonly wanted: unknown
  readonly decided: unknown
  /** Whether a fix tries to change it; otherwise something stands in its way. */
  readonly isTried: boolean
  /** What an earlier change would have to bring about first. */
  readonly assumption?: Assumption
}

/** What is not so yet, and is expected to be when the turn of the resource comes. */
export interface Assumption {
  readonly reason: string
  /** Whether it is a value that the resource reads. */
  readonly isRead: boolean
}

/** That a resource is not changed: it is left as it is, or it is refused and fails, and with it what requires it. */
export interface Veto {
  readonly kind: 'left' | 'refused'
  readonly reason: string
}

/** Is asked before a resource is changed. */
export type Reviewer = (proposal: Proposal) => Veto | undefined | Promise<Veto | undefined>
