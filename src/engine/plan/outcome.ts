import type { Problem } from '../../core/problem.ts'
import type { Run } from '../../core/run.ts'
import { placeOf, type PlanInput, type SavedPlan } from '../../core/saved-plan.ts'
import { inputsDiffer } from './guard.ts'

/** Where a fix and the plan it carried out are not the same, each as a warning. */
export function beyondPlan(plan: SavedPlan, run: Run, inputs: readonly PlanInput[]): readonly Problem[] {
  return [...otherPolicies(plan, run), ...otherInputs(plan, inputs), ...notNeeded(plan, run)].map((message) => ({
    message,
    severity: 'warning',
  }))
}

function otherPolicies({ audit }: SavedPlan, { policies }: Run): readonly string[] {
  return policies.flatMap(({ id, sha256 }) => {
    const then = audit.policies.find((policy) => policy.id === id)
    if (then === undefined || then.sha256 === sha256) return []
    return [
      `policy ${id} is another than in the plan, sha256 ${then.sha256} then and ${sha256} now: what it says otherwise is refused`,
    ]
  })
}

function otherInputs(plan: SavedPlan, inputs: readonly PlanInput[]): readonly string[] {
  const what = inputsDiffer(plan.inputs, inputs)
  return what === '' ? [] : [`what was given beside the policies is not as in the plan: ${what}`]
}

/** What the plan would have changed, and nobody needed to. */
function notNeeded({ changes }: SavedPlan, { policies }: Run): readonly string[] {
  const results = new Map(
    policies.flatMap(({ id, resources }) => resources.map((result) => [placeOf(id, result), result] as const)),
  )
  return changes.flatMap((change) => {
    const result = results.get(placeOf(change.policy, change))
    if (result?.verdict !== 'compliant' || result.actions.length > 0) return []
    return [`${change.id}: the plan would change it, and it was as wanted already`]
  })
}
