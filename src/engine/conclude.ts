import type { ResourceResult } from '../core/run.ts'
import { driftFingerprint } from '../findings/fingerprint.ts'

/**
 * Adds to the result of a resource what the run knows of it beside the machine. `policy` is the id of the policy that was
 * given to the run, also for resources of its child manifests.
 */
export function conclude(policy: string, result: ResourceResult): ResourceResult {
  if (result.drift.length === 0) return result
  const drift = result.drift.map((each) => ({ ...each, fingerprint: driftFingerprint(policy, result, each) }))
  return { ...result, drift }
}
