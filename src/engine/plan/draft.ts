import { randomBytes } from 'node:crypto'
import { defined } from '../../model/defined.ts'
import type { Run } from '../../model/run.ts'
import type { Expectation, PlanInput, PlannedChange, SavedPlan } from '../../model/saved-plan.ts'
import type { Reviewer } from '../review.ts'
import { createFingerprint, type Fingerprint, fingerprintsOf } from './fingerprint.ts'

/** A plan that an audit fills. */
export interface PlanDraft {
  /** Notes what would be changed, and objects to nothing. */
  readonly review: Reviewer
  /** Notes what is expected of a resource once the plan was carried out. */
  readonly expect: (expectation: Expectation) => void
  readonly fingerprint: Fingerprint
  readonly finish: (audit: Run, inputs: readonly PlanInput[]) => SavedPlan
}

/** Starts a plan for the machine of this identity. */
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
