import type { Problem } from '../../model/problem.ts'
import type { ResourceResult, Run } from '../../model/run.ts'
import { type Expectation, placeOf, type PlanInput, type SavedPlan } from '../../model/saved-plan.ts'
import { isFailure, type Verdict } from '../../model/verdict.ts'
import { inputsDiffer } from './guard.ts'

/** Differences between a fix and its plan, as warnings. */
export function beyondPlan(plan: SavedPlan, run: Run, inputs: readonly PlanInput[]): readonly Problem[] {
  return [...otherPolicies(plan, run), ...otherInputs(plan, inputs), ...notNeeded(plan, run)].map((message) => ({
    message,
    severity: 'warning',
  }))
}

/** A resource whose state after the fix differs from the plan. */
export interface Surprise {
  /** Warning with both verdicts. */
  readonly problem: Problem
  /** True if the fix reported the resource as compliant and it is not: a later change or another program undid it. */
  readonly isUndone: boolean
}

/** Differences between a second audit after the fix and the plan. */
export function findSurprises(plan: SavedPlan, fix: Run, after: Run): readonly Surprise[] {
  const [before, done] = [resultsOf(plan.audit), resultsOf(fix)]
  const planned = new Set(plan.changes.map((change) => placeOf(change.policy, change)))
  const expected = new Map((plan.expected ?? []).map((each) => [placeOf(each.policy, each), each]))
  return [...resultsOf(after)].flatMap(([place, now]): readonly Surprise[] => {
    const then = before.get(place)
    const fixed = done.get(place)
    // Refused, failed and blocked changes are already reported.
    if (then === undefined || fixed === undefined || UNDONE.has(fixed.verdict)) return []
    // Changes that the fix did not select are already reported as well.
    if (fixed.verdict === 'drifted' && planned.has(place)) return []
    const { verdict, hangsOn }: Pick<Expectation, 'verdict' | 'hangsOn'> = expected.get(place) ?? then
    if (verdict === undefined || verdict === now.verdict) return []
    const foreseen = hangsOn === undefined ? 'expected' : 'assumed'
    const why = now.message === undefined ? '' : `: ${now.message}`
    const message = `${now.id}: the plan ${foreseen} ${verdict} after the fix, but it is ${now.verdict}${why}`
    const isUndone = isFailure(now.verdict) && !isFailure(fixed.verdict)
    return [{ problem: { message, severity: 'warning' }, isUndone }]
  })
}

const UNDONE: ReadonlySet<Verdict> = new Set(['fix-failed', 'blocked'])

function resultsOf({ policies }: Run): ReadonlyMap<string, ResourceResult> {
  return new Map(
    policies.flatMap(({ id, resources }) => resources.map((result) => [placeOf(id, result), result] as const)),
  )
}

function otherPolicies({ audit }: SavedPlan, { policies }: Run): readonly string[] {
  return policies.flatMap(({ id, sha256 }) => {
    const then = audit.policies.find((policy) => policy.id === id)
    if (then === undefined || then.sha256 === sha256) return []
    return [
      `policy ${id} differs from the plan, sha256 ${then.sha256} then and ${sha256} now: resources defined differently are refused`,
    ]
  })
}

function otherInputs(plan: SavedPlan, inputs: readonly PlanInput[]): readonly string[] {
  const what = inputsDiffer(plan.inputs, inputs)
  return what === '' ? [] : [`inputs of the policies differ from the plan: ${what}`]
}

/** Planned changes that were not needed. */
function notNeeded({ changes }: SavedPlan, run: Run): readonly string[] {
  const results = resultsOf(run)
  return changes.flatMap((change) => {
    const result = results.get(placeOf(change.policy, change))
    if (result?.verdict !== 'compliant' || result.actions.length > 0) return []
    return [`${change.id}: the plan would change it, but it was already compliant`]
  })
}
