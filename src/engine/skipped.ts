import { hasBelow } from '../model/roll-up.ts'
import type { Policy } from '../model/policy.ts'
import type { ControlResult, ResourceResult } from '../model/run.ts'

/**
 * Number of requirements of a policy and its loaded child manifests without a result, because of a selection or an
 * interruption: controls, and resources without controls.
 */
export function countSkipped(
  policy: Policy,
  { results, controls }: { readonly results: readonly ResourceResult[]; readonly controls: readonly ControlResult[] },
): number {
  const alone = results.filter(
    (result, index) => result.controls.length === 0 && !hasBelow(result, results[index + 1]),
  ).length
  return Math.max(0, countRequirements(policy, false) - controls.length - alone)
}

/** `isSupporting`: the apply resource above supports a control, and therefore everything below. */
function countRequirements(policy: Policy, isSupporting: boolean): number {
  const supporting = new Set(isSupporting ? [] : policy.controls.flatMap(({ resources }) => resources))
  let count = policy.controls.length
  for (const { id } of policy.resources) {
    const child = policy.children?.get(id)
    const isSupported = isSupporting || supporting.has(id)
    if (child?.kind === 'loaded') count += countRequirements(child.policy, isSupported)
    else if (!isSupported) count += 1
  }
  return count
}
