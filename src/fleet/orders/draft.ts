import { canonicalJson } from '../../model/canonical-json.ts'
import { OperatorError } from '../../model/operator-error.ts'
import type { Run } from '../../model/run.ts'
import { findingOf, followerOf, isFollower, isRepairable, resourceOf } from './finding.ts'
import type { Fix, Order } from './order.ts'

/** What the operator wants to be repaired. */
export interface Choice {
  /** The id of the policy. */
  readonly policy: string
  /** Whether a resource is among what they named. */
  readonly isChosen: (resource: string) => boolean
}

/**
 * What hosts are to repair of what their last runs say, those with the same differences together. Throws an `OperatorError` where one of
 * them has nothing to repair, since its approval would be for nothing.
 */
export function fixesOf(runs: ReadonlyMap<string, Run>, choice: Choice): Order['fixes'] {
  const alike = new Map<string, Fix & { readonly hosts: string[] }>()
  for (const [host, run] of runs) {
    const results = run.policies.filter(({ id }) => id === choice.policy).flatMap(({ resources }) => resources)
    const chosen = results.filter((result) => isRepairable(result) && choice.isChosen(resourceOf(result)))
    const findings = chosen.map(findingOf)
    const follows = results.filter(isFollower).map(followerOf)
    if (findings.length === 0)
      throw new OperatorError(
        `${host} has nothing of that to repair: its last run found no such difference in ${choice.policy}`,
      )
    const key = canonicalJson([findings, follows])
    const known = alike.get(key) ?? { hosts: [], findings, follows }
    known.hosts.push(host)
    alike.set(key, known)
  }
  const [first, ...others]: readonly Fix[] = [...alike.values()]
  if (first === undefined) throw new OperatorError('an order is for at least one host')
  return [first, ...others]
}
