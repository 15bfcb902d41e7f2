import { countOf } from '../model/count-of.ts'
import { defined } from '../model/defined.ts'
import { hasBelow } from '../model/roll-up.ts'
import type { ControlResult, PolicyResult, ResourceResult } from '../model/run.ts'
import { placeOf } from '../model/saved-plan.ts'
import { CONTROLS_WORST_FIRST } from '../model/verdict.ts'
import type { Examination, PreparedResource } from '../resource-type/define.ts'
import type { Target } from '../host/target.ts'
import type { Outcome } from './evaluate.ts'
import { rollUp } from './roll-up.ts'

/** A resource after its turn. */
export interface Evaluation {
  /** Id of the top-level policy. */
  readonly policy: string
  readonly prepared: PreparedResource
  readonly outcome: Outcome
  /** Converts an outcome to a report result. */
  readonly toResult: (outcome: Outcome) => ResourceResult
}

/** Updated result of a resource that a later change of the same fix has undone. */
export interface Undone {
  readonly policy: string
  readonly result: ResourceResult
}

/** Observes resources again after the last change of a fix. */
export interface Recheck {
  /** Call after each resource, in order. */
  readonly keep: (evaluation: Evaluation) => void
  /** Returns the resources that now drift; skips those that no later change can affect. */
  readonly run: (target: Target) => Promise<readonly Undone[]>
}

/** Observes a prepared resource; `applied` as in `Occasion`. */
export type Observe = (resource: PreparedResource, target: Target, applied: boolean) => Promise<Examination>

/** Creates an empty recheck. */
export function createRecheck(observe: Observe): Recheck {
  const evaluations: Evaluation[] = []
  return {
    keep: (evaluation) => void evaluations.push(evaluation),
    async run(target) {
      const last = evaluations.findLastIndex(({ outcome }) => outcome.wasApplied === true)
      const undone: Undone[] = []
      if (last > 0) target.forget()
      for (const [index, { policy, prepared, outcome, toResult }] of evaluations
        .slice(0, Math.max(last, 0))
        .entries()) {
        if (outcome.verdict !== 'compliant' && outcome.verdict !== 'fixed') continue
        const seen = await observe(prepared, target, outcome.wasApplied === true)
        const trouble = troubleIn(seen)
        if (trouble === undefined) continue
        const earlier = toResult(outcome)
        const later = evaluations.slice(index + 1).filter((each) => each.outcome.wasApplied === true)
        const by = describeSuspects(
          earlier,
          later.map((each) => each.toResult(each.outcome)),
        )
        const failed = toResult({
          verdict: 'fix-failed',
          decision: outcome.decision,
          remaining: seen.kind === 'decided' ? seen.decision.drift : [],
          change: 'will',
          message: `undone by ${by}: ${trouble}`,
          ...(seen.kind === 'decided' && { look: seen }),
        })
        undone.push({ policy, result: { ...failed, durationMs: earlier.durationMs } })
      }
      return undone
    },
  }
}

function troubleIn(seen: Examination): string | undefined {
  if (seen.kind !== 'decided') return `it could not be verified at the end of the fix: ${seen.detail}`
  const { drift, unknown } = seen.decision
  if (drift.length > 0) return `${drift.map(({ property }) => property).join(', ')} drifted again`
  const [unread] = unknown
  return unread && `${unread.property} could not be verified at the end of the fix: ${unread.detail}`
}

/** Types that run programs, which can change anything. */
const UNBOUNDED: ReadonlySet<string> = new Set(['exec', 'package', 'scaffold'])

/** Types whose resource name is the path that they change. */
const PATHS: ReadonlySet<string> = new Set(['file', 'archive', 'scaffold', 'files'])

const MOST_NAMED = 3

/** Later changes that may have undone a resource; all of them if none is known to affect it. */
function describeSuspects(undone: ResourceResult, later: readonly ResourceResult[]): string {
  const related = later.filter((each) => isRelated(undone, each))
  const named = (related.length > 0 ? related : later).map(({ id }) => id).toReversed()
  const more = named.length - MOST_NAMED
  return [...named.slice(0, MOST_NAMED), ...(more > 0 ? [countOf(more, 'other')] : [])].join(' or ')
}

function isRelated(undone: ResourceResult, later: ResourceResult): boolean {
  if (UNBOUNDED.has(later.type)) return true
  if (PATHS.has(later.type) && PATHS.has(undone.type)) return overlap(undone.name, later.name)
  return later.type === undone.type
}

function overlap(left: string, right: string): boolean {
  return left === right || left.startsWith(`${right}/`) || right.startsWith(`${left}/`)
}

interface Rechecking {
  readonly recheck: Recheck | undefined
  readonly target: Target
  readonly signal: AbortSignal
  readonly conclude: (policy: string, result: ResourceResult) => ResourceResult
}

/** Updates results after the last change of a run. Calls `onResult` again for each changed result. */
export async function recheckResults(
  policies: readonly PolicyResult[],
  { recheck, target, signal, conclude }: Rechecking,
  onResult: ((policy: string, result: ResourceResult) => Promise<void> | void) | undefined,
): Promise<readonly PolicyResult[]> {
  const found = signal.aborted ? [] : ((await recheck?.run(target)) ?? [])
  if (found.length === 0) return policies
  const results = new Map<string, ResourceResult>()
  for (const { policy, result } of found) {
    const concluded = conclude(policy, result)
    results.set(placeOf(policy, result), concluded)
    await onResult?.(policy, concluded)
  }
  return policies.map((policy) => withUndone(policy, results))
}

function withUndone(policy: PolicyResult, undone: ReadonlyMap<string, ResourceResult>): PolicyResult {
  const changed = policy.resources.map((result) => {
    const now = undone.get(placeOf(policy.id, result))
    return now === undefined ? result : { ...now, ...defined({ health: result.health }) }
  })
  const resources = changed.map((result, index) =>
    hasBelow(result, changed[index + 1]) ? rolledUp(result, changed.slice(index + 1)) : result,
  )
  const failed = resources.filter((result, index) => result !== policy.resources[index])
  return { ...policy, resources, controls: policy.controls.map((control) => judgedAgain(control, failed)) }
}

/** Rolls the results below an apply resource up into its own. */
function rolledUp(result: ResourceResult, after: readonly ResourceResult[]): ResourceResult {
  const depth = (result.path ?? []).length
  const end = after.findIndex(({ path = [] }) => path.length <= depth)
  const below = end === -1 ? after : after.slice(0, end)
  if (result.verdict === 'fix-failed' || below.every(({ verdict }) => verdict !== 'fix-failed')) return result
  const { provider = '', durationMs, changeReason } = result
  return {
    ...result,
    ...rollUp(result, below, { provider, isNoop: changeReason?.startsWith('noop:') === true, durationMs }),
  }
}

/** A failed resource fails the controls that it, or an apply resource above it, supports. */
function judgedAgain(control: ControlResult, failed: readonly ResourceResult[]): ControlResult {
  const concerns = failed.some(({ controls, path = [] }) => controls.includes(control.id) && isWithin(control, path))
  if (!concerns) return control
  const verdict = CONTROLS_WORST_FIRST.find((each) => each === control.verdict || each === 'fix-failed')
  return { ...control, verdict: verdict ?? 'fix-failed' }
}

function isWithin({ path: above = [] }: ControlResult, path: readonly string[]): boolean {
  return above.every((id, index) => path[index] === id)
}
