import { canonicalJson } from '../../core/canonical-json.ts'
import { OperatorError } from '../../core/operator-error.ts'
import type { ResourceResult, Run } from '../../core/run.ts'
import { type Finding, findingOf, isRepairable, resourceOf } from './finding.ts'
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
  const alike = new Map<string, { readonly hosts: string[]; readonly findings: readonly Finding[] }>()
  for (const [host, run] of runs) {
    const findings = repairableIn(run, choice).map(findingOf)
    if (findings.length === 0)
      throw new OperatorError(
        `${host} has nothing of that to repair: its last run found no such difference in ${choice.policy}`,
      )
    const known = alike.get(canonicalJson(findings))
    if (known === undefined) alike.set(canonicalJson(findings), { hosts: [host], findings })
    else known.hosts.push(host)
  }
  const [first, ...others]: readonly Fix[] = [...alike.values()]
  if (first === undefined) throw new OperatorError('an order is for at least one host')
  return [first, ...others]
}

function repairableIn(run: Run, { policy, isChosen }: Choice): readonly ResourceResult[] {
  return run.policies
    .filter(({ id }) => id === policy)
    .flatMap(({ resources }) => resources)
    .filter((result) => isRepairable(result) && isChosen(resourceOf(result)))
}
