import { hostOfPolicy } from '../host-name.ts'
import { withoutRollUps } from '../roll-up.ts'
import type { PolicyResult, ReportedDrift, ResourceResult, Run } from '../run.ts'
import { driftFingerprint } from './fingerprint.ts'

export interface ObservedResource {
  readonly policy: PolicyResult
  readonly result: ResourceResult
  /** The drift at the end of the run, by fingerprint; undefined if the resource was not observed. */
  readonly drift: ReadonlyMap<string, ReportedDrift> | undefined
}

export type ObservedResources = ReadonlyMap<string, ObservedResource>

/** Indexes the resources of a run. `byHost` keeps the machines of a merged report apart. */
export function seenResources(run: Run, byHost: boolean): ObservedResources {
  const seen = new Map<string, ObservedResource>()
  for (const policy of run.policies) {
    const host = byHost ? hostOfPolicy(run, policy) : ''
    for (const result of withoutRollUps(policy.resources)) {
      seen.set(keyOf(host, policy.id, result), { policy, result, drift: standingDrift(policy.id, result) })
    }
  }
  return seen
}

/** The identity of a resource across runs: host (if several), policy, path and id. */
export function keyOf(host: string, policy: string, { path = [], id }: Pick<ResourceResult, 'path' | 'id'>): string {
  return JSON.stringify([host, policy, ...path, id])
}

/** Reports of earlier versions have no fingerprints, and drift that remains after a fix never has one. */
function standingDrift(policy: string, result: ResourceResult): ObservedResource['drift'] {
  const drift = driftAtEnd(result)
  return drift && new Map(drift.map((each) => [each.fingerprint ?? driftFingerprint(policy, result, each), each]))
}

function driftAtEnd({ verdict, drift, remaining = [] }: ResourceResult): readonly ReportedDrift[] | undefined {
  switch (verdict) {
    case 'drifted':
    case 'waived':
      return drift
    case 'fix-failed':
      return remaining
    case 'compliant':
    case 'fixed':
      return []
    case 'error':
    case 'blocked':
    case 'not-applicable':
      return undefined
  }
}
