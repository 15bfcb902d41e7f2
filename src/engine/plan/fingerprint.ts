import { createHmac } from 'node:crypto'
import { canonicalJson } from '../../model/canonical-json.ts'
import type { Decision } from '../../model/decision.ts'
import type { PlannedChange } from '../../model/saved-plan.ts'
import type { Proposal } from '../review.ts'

/** Half of a sha256 in hex. */
const FINGERPRINT_CHARACTERS = 32

/** Fingerprint of a value, keyed with the identity of this host: it cannot be brute-forced elsewhere. */
export type Fingerprint = (value: unknown) => string

/**
 * Creates the fingerprint function of one plan. `identity` is not stored in the plan, so that its readers cannot verify
 * guesses.
 */
export function createFingerprint(identity: string, salt: string): Fingerprint {
  const key = createHmac('sha256', identity).update(salt).digest()
  return (value) =>
    createHmac('sha256', key).update(canonicalJson(value)).digest('hex').slice(0, FINGERPRINT_CHARACTERS)
}

/** Fingerprints that identify the planned state of a resource. */
export function fingerprintsOf(
  { declared, wanted, decided }: Proposal,
  fingerprint: Fingerprint,
): Pick<PlannedChange, 'declared' | 'wanted' | 'observed'> {
  return { declared: fingerprint(declared), wanted: fingerprint(wanted), observed: fingerprint(decided) }
}

/**
 * Parts of a decision that must be unchanged to apply its plan. Excludes the action itself: that of a setting contains
 * the whole file, which an earlier change of the plan may have modified elsewhere.
 */
export function decidedOf({ ensure, drift, unknown, plan }: Decision<unknown>): unknown {
  const differences = drift.map(({ property, path, desired, observed }) => ({ property, path, desired, observed }))
  const unread = unknown.map(({ property, reason }) => ({ property, reason }))
  if (plan.kind !== 'act') return { ensure, differences, unread, kind: plan.kind }
  const { text, effects } = plan
  return { ensure, differences, unread, kind: plan.kind, text, effects }
}
