import { driftFingerprint } from '../../model/findings/fingerprint.ts'
import type { PolicyResult, ReportedDrift, ResourceResult, Run } from '../../model/run.ts'

/**
 * The run without what its reader can compute: fingerprints of drifts. They are most of a large report, since nothing compresses them.
 */
export function withoutDerived(run: Run): Run {
  return mapDrifts(run, (drift, policy, resource) => {
    const { fingerprint, ...rest } = drift
    return fingerprint === driftFingerprint(policy, resource, drift) ? rest : drift
  })
}

/** Whether they are absent. */
export function lacksDerived({ policies }: Run): boolean {
  return policies.some(({ resources }) =>
    resources.some(({ drift }) => drift.some(({ fingerprint }) => fingerprint === undefined)),
  )
}

/** The run with these where they are absent. */
export function withDerived(run: Run): Run {
  return mapDrifts(run, (drift, policy, resource) => ({
    fingerprint: driftFingerprint(policy, resource, drift),
    ...drift,
  }))
}

function mapDrifts(
  run: Run,
  change: (drift: ReportedDrift, policy: PolicyResult['id'], resource: ResourceResult) => ReportedDrift,
): Run {
  const policies = run.policies.map((policy) => ({
    ...policy,
    resources: policy.resources.map((resource) => ({
      ...resource,
      drift: resource.drift.map((drift) => change(drift, policy.id, resource)),
    })),
  }))
  return { ...run, policies }
}
