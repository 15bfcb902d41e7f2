import { driftFingerprint } from '../../model/findings/fingerprint.ts'
import type { PolicyResult, ReportedDrift, ResourceResult, Run } from '../../model/run.ts'

/**
 * Removes fields that the reader can compute: drift fingerprints, which are incompressible and most of a large report.
 */
export function withoutDerived(run: Run): Run {
  return mapDrifts(run, (drift, policy, resource) => {
    const { fingerprint, ...rest } = drift
    return fingerprint === driftFingerprint(policy, resource, drift) ? rest : drift
  })
}

/** True if derived fields are missing. */
export function lacksDerived({ policies }: Run): boolean {
  return policies.some(({ resources }) =>
    resources.some(({ drift }) => drift.some(({ fingerprint }) => fingerprint === undefined)),
  )
}

/** Adds the missing derived fields. */
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
