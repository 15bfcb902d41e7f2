import { randomBytes } from 'node:crypto'
import { defined } from '../../model/defined.ts'
import type { Run } from '../../model/run.ts'
import type { Expectation, PlanInput, PlannedChange, SavedPlan } from '../../model/saved-plan.ts'
import type { Reviewer } from '../review.ts'
import { createFingerprint, type Fingerprint, fingerprintsOf } from './fingerprint.ts'

/** A plan filled by an audit. */
export interface PlanDraft {
  /** Records the changes; never objects. */
  readonly review: Reviewer
  /** Records the expected state of a resource after the plan was applied. */
  readonly expect: (expectation: Expectation) => void
  readonly fingerprint: Fingerprint
  readonly finish: (audit: Run, inputs: readonly PlanInput[]) => SavedPlan
}

/** Starts a plan for the machine with this identity. */
export function draftPlan(identity: string): PlanDraft {
  const salt = randomBytes(16).toString('hex')
  const fingerprint = createFingerprint(identity, salt)
  const changes: PlannedChange[] = []
  const expected: Expectation[] = []
  return {
    fingerprint,
    expect(expectation) {
      expected.push(expectation)
    },
    review(proposal) {
      const { policy, assumption, result } = proposal
      const { id, path } = result
      changes.push({
        policy,
        ...defined({ path }),
        id,
        ...fingerprintsOf(proposal, fingerprint),
        ...(assumption && { assumed: assumption.reason }),
        ...(assumption?.isRead === true && { readsAssumed: true }),
      })
      return undefined
    },
    finish: (audit, inputs) => ({
      schema: 'driftgate.plan/v1',
      salt,
      host: fingerprint('host'),
      inputs,
      changes,
      expected,
      audit,
    }),
  }
}
