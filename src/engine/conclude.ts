import type { ReportedDrift, ResourceResult } from '../model/run.ts'
import type { BaselineOfRun } from '../model/findings/baseline.ts'
import { driftFingerprint } from '../model/findings/fingerprint.ts'
import type { RunWaivers } from './waivers.ts'

/** What a run knows of its findings beside the machine. */
export interface Knowledge {
  readonly waivers: RunWaivers | undefined
  readonly baseline: BaselineOfRun | undefined
}

/**
 * Adds to the result of a resource what the run knows of it beside the machine. `policy` is the id of the policy that was
 * given to the run, also for resources of its child manifests.
 */
export function conclude(policy: string, found: ResourceResult, { waivers, baseline }: Knowledge): ResourceResult {
  if (found.drift.length === 0) return found
  const result = waivers?.judge(found) ?? found
  const drift: readonly ReportedDrift[] = result.drift.map((each) => ({
    fingerprint: driftFingerprint(policy, result, each),
    ...each,
  }))
  // What a fix has repaired is no finding any more.
  if (baseline === undefined || result.verdict === 'fixed') return { ...result, drift }
  return {
    ...result,
    drift: drift.map((each) =>
      each.waiver !== undefined ? each : { ...each, baseline: baseline.classify(policy, result, each) },
    ),
  }
}
