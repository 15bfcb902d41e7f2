import type { ReportedDrift, ResourceResult } from '../model/run.ts'
import type { BaselineOfRun } from '../model/findings/baseline.ts'
import { driftFingerprint } from '../model/findings/fingerprint.ts'
import type { RunWaivers } from './waivers.ts'

export interface Knowledge {
  readonly waivers: RunWaivers | undefined
  readonly baseline: BaselineOfRun | undefined
}

/**
 * Adds waivers and baseline comparison to a result. `policy` is the id of the top-level policy, also for child
 * manifests.
 */
export function conclude(policy: string, found: ResourceResult, { waivers, baseline }: Knowledge): ResourceResult {
  if (found.drift.length === 0) return found
  const result = waivers?.judge(found) ?? found
  const drift: readonly ReportedDrift[] = result.drift.map((each) => ({
    fingerprint: driftFingerprint(policy, result, each),
    ...each,
  }))
  // Fixed drift is no longer a finding.
  if (baseline === undefined || result.verdict === 'fixed') return { ...result, drift }
  return {
    ...result,
    drift: drift.map((each) =>
      each.waiver !== undefined ? each : { ...each, baseline: baseline.classify(policy, result, each) },
    ),
  }
}
