import { canonicalJson } from '../../model/canonical-json.ts'
import { OperatorError } from '../../model/operator-error.ts'
import type { Run } from '../../model/run.ts'
import { findingOf, followerOf, isFollower, isRepairable, resourceOf } from './finding.ts'
import type { Fix, Order } from './order.ts'

/** Scope of an order. */
export interface Choice {
  /** Policy id. */
  readonly policy: string
  /** True if the operator selected the resource. */
  readonly isChosen: (resource: string) => boolean
}

/**
 * Fixes for the last runs of hosts; hosts with the same findings are grouped. Throws an `OperatorError` if a host has
 * nothing to fix, since its approval would be pointless.
 */
export function fixesOf(runs: ReadonlyMap<string, Run>, choice: Choice): Order['fixes'] {
  const alike = new Map<string, Fix & { readonly hosts: string[] }>()
  for (const [host, run] of runs) {
    const results = run.policies.filter(({ id }) => id === choice.policy).flatMap(({ resources }) => resources)
    const chosen = results.filter((result) => isRepairable(result) && choice.isChosen(resourceOf(result)))
    const findings = chosen.map(findingOf)
    const follows = results.filter(isFollower).map(followerOf)
    if (findings.length === 0)
      throw new OperatorError(`${host} has no such drift: its last run found no matching drift in ${choice.policy}`)
    const key = canonicalJson([findings, follows])
    const known = alike.get(key) ?? { hosts: [], findings, follows }
    known.hosts.push(host)
    alike.set(key, known)
  }
  const [first, ...others]: readonly Fix[] = [...alike.values()]
  if (first === undefined) throw new OperatorError('an order needs at least one host')
  return [first, ...others]
}
