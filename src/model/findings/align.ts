import { hostNameOf, hostOfPolicy } from '../host-name.ts'
import { distinctIds, pairPolicies, placeOf, type PolicyIdentity } from '../policy-identity.ts'
import type { PolicyResult, ReportedDrift, ResourceResult, Run } from '../run.ts'

/** The policies of a later run, and whether both runs contain several hosts. */
interface Later {
  readonly policies: readonly (PolicyIdentity & Pick<PolicyResult, 'origin'>)[]
  readonly target?: Run['target']
  readonly byHost: boolean
}

/**
 * Gives the policies of an earlier run the ids that they have in a later run: a renamed or moved policy is recognised,
 * and a different policy that reuses an id is kept apart.
 */
export function alignPolicies(earlier: Run, { policies: after, target = earlier.target, byHost }: Later): Run {
  const hostIn = (run: Pick<Run, 'target'>, { origin }: Pick<PolicyResult, 'origin'>): string =>
    byHost ? hostNameOf(origin?.target ?? run.target) : ''
  const ids = new Map<PolicyResult, string>()
  for (const host of new Set(earlier.policies.map((policy) => hostIn(earlier, policy)))) {
    const then = earlier.policies.filter((policy) => hostIn(earlier, policy) === host)
    const now = after.filter((policy) => hostIn({ target }, policy) === host)
    const pairs = pairPolicies(then, now)
    const unpaired = then.filter((policy) => !pairs.has(policy))
    const free = distinctIds([...unpaired, ...now])
    for (const [policy, { id }] of pairs) ids.set(policy, id)
    for (const [index, policy] of unpaired.entries()) ids.set(policy, free[index] ?? policy.id)
  }
  return { ...earlier, policies: earlier.policies.map((policy) => withId(policy, ids.get(policy) ?? policy.id)) }
}

/** Gives policies of one host distinct ids, unless they come from one file: reports of earlier versions repeat ids. */
export function distinguishPolicies(run: Run): Run {
  const ids = new Map<PolicyResult, string>()
  for (const policies of byHostIn(run).values()) {
    if (new Set(policies.map(({ id }) => id)).size === policies.length) continue
    const places = new Map(policies.map((policy) => [JSON.stringify([policy.id, placeOf(policy.source)]), policy]))
    const names = distinctIds([...places.values()])
    const named = new Map([...places.keys()].map((place, index) => [place, names[index]]))
    for (const policy of policies) {
      ids.set(policy, named.get(JSON.stringify([policy.id, placeOf(policy.source)])) ?? policy.id)
    }
  }
  if (ids.size === 0) return run
  return { ...run, policies: run.policies.map((policy) => withId(policy, ids.get(policy) ?? policy.id)) }
}

function byHostIn(run: Run): ReadonlyMap<string, readonly PolicyResult[]> {
  const hosts = new Map<string, PolicyResult[]>()
  for (const policy of run.policies) {
    const host = hostOfPolicy(run, policy)
    hosts.set(host, [...(hosts.get(host) ?? []), policy])
  }
  return hosts
}

/** A policy under another id. Fingerprints depend on the id, so they are removed. */
function withId(policy: PolicyResult, id: string): PolicyResult {
  return id === policy.id ? policy : { ...policy, id, resources: policy.resources.map(withoutFingerprints) }
}

function withoutFingerprints(result: ResourceResult): ResourceResult {
  const drift = result.drift.map((each): ReportedDrift => {
    const { fingerprint, ...rest } = each
    return fingerprint === undefined ? each : rest
  })
  return { ...result, drift }
}
