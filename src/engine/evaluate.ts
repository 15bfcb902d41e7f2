import type { ApplyOutcome, Decision, Obstacle, Occasion } from '../model/decision.ts'
import { NO_PLAN, pastTense } from '../model/decision.ts'
import { defined } from '../model/defined.ts'
import type { ErrorReason, Unknown } from '../model/observation.ts'
import type { Change } from '../model/verdict.ts'
import type { Examination, PreparedResource } from '../resource-type/define.ts'
import type { Remediator } from '../host/remediator.ts'
import type { Target } from '../host/target.ts'
import { leaveOutRunning } from './left-out.ts'
import type { Assumption, Proposal, Veto } from './review.ts'

/** Context for the evaluation of one resource. */
export interface Surroundings {
  readonly target: Target
  /** Present only in a fix. */
  readonly remediator: Remediator | undefined
  /** True if an earlier resource with a pending fix would provide the path. */
  readonly isPending: (path: string) => boolean
  /** A drifted resource that this one requires. */
  readonly pendingRequirement: string | undefined
  /** Reason why a value read from an earlier resource may still change: `reads ... of ..., which drifted`. */
  readonly pendingRead: string | undefined
  /** True if a resource it subscribes to was changed or, in an audit, would be. */
  readonly subscribed: boolean
  /** Called before a plan is applied; returns a reason not to apply it. */
  readonly onApply?: () => string | undefined
  /** True if a fix leaves the drift unchanged because it is waived. */
  readonly isAccepted: (outcome: Outcome) => boolean
  /** Approves a change before it is made, or, in an audit, before a fix would make it; absent without prompts. */
  readonly review:
    ((outcome: Judgement, prospect: Prospect) => Veto | undefined | Promise<Veto | undefined>) | undefined
}

/** Whether a fix attempts the change, and its assumption. */
export type Prospect = Pick<Proposal, 'isTried' | 'assumption'>

/** Outcome of one resource before it becomes a report result. */
export type Outcome = Finding & {
  /** Last successful examination. */
  readonly look?: Decided
  /** True if a fix applied a plan, successfully or not. */
  readonly wasApplied?: true
}

type Decided = Extract<Examination, { kind: 'decided' }>

type Finding =
  /** The plan, if any, reacts to a change of a subscribed resource. */
  | { readonly verdict: 'compliant'; readonly decision: Decision<unknown> }
  | {
      readonly verdict: 'drifted'
      readonly decision: Decision<unknown>
      readonly change: Change
      readonly changeReason?: string
    }
  | {
      readonly verdict: 'fixed'
      readonly decision: Decision<unknown>
      readonly actions: readonly string[]
      /** Output of a command, for the user. */
      readonly output?: string
    }
  | {
      readonly verdict: 'fix-failed'
      readonly decision: Decision<unknown>
      /** Drift that remains after the attempt; the original drift if there was no attempt. */
      readonly remaining: Decision<unknown>['drift']
      readonly change: Change
      readonly message: string
      readonly output?: string
    }
  | {
      readonly verdict: 'error'
      readonly reason: ErrorReason
      readonly message: string
      readonly decision?: Decision<unknown>
    }
  /** The resource does not apply, or the check needs a running system and such checks are excluded. */
  | { readonly verdict: 'not-applicable'; readonly message: string; readonly decision?: undefined }

/**
 * Observes and decides; a fix also applies the plan and observes again. The only place that decides verdicts.
 * Synchronous if the target is.
 */
export function evaluate(resource: PreparedResource, surroundings: Surroundings): Outcome | Promise<Outcome> {
  const { target, remediator, subscribed, review } = surroundings
  const examination = examine(resource, target, { subscribed, applied: false })
  const conclude = (examined: Examination): Outcome | Promise<Outcome> => {
    const seen = target.offlineAs === undefined ? examined : leaveOutRunning(examined)
    if (seen.kind === 'unknown') return undecidedOutcome(seen)
    if (seen.kind === 'not-applicable') return { verdict: 'not-applicable', message: seen.detail }
    const outcome = judge(seen, surroundings)
    if ((remediator === undefined && review === undefined) || outcome.verdict === 'error') return outcome
    if (outcome.verdict === 'compliant' && actionsOf(seen.decision).length === 0) return outcome
    if (outcome.verdict === 'drifted' && surroundings.isAccepted(outcome)) return outcome
    const refused = refusal(seen, surroundings)
    const proceed = (veto: Veto | undefined): Outcome | Promise<Outcome> => {
      if (veto !== undefined) return applyVeto(seen, outcome, veto)
      if (remediator === undefined) return outcome
      if (refused !== undefined) return refused
      const failure = surroundings.onApply?.()
      return failure !== undefined ? notTried(seen, failure) : fix(resource, seen, target, remediator)
    }
    const veto = review?.(outcome, prospectOf(seen.decision, refused === undefined, surroundings))
    return veto instanceof Promise ? veto.then(proceed) : proceed(veto)
  }
  return examination instanceof Promise ? examination.then(conclude) : conclude(examination)
}

/** Outcome before a change. */
export type Judgement = Extract<Outcome, { verdict: 'compliant' | 'drifted' | 'error' }>

/** Reason not to attempt a fix: obstacles of the drift or of a reaction. */
function refusal(look: Decided, surroundings: Surroundings): Outcome | undefined {
  const { decision } = look
  const standing = obstaclesOf(decision).filter((obstacle) => !mayVanish(obstacle, surroundings))
  if (standing.length === 0) return undefined
  return notTried(look, joinReasons(standing))
}

function notTried(look: Decided, message: string): Outcome {
  const { decision } = look
  return { verdict: 'fix-failed', decision, remaining: decision.drift, change: 'cannot', message, look }
}

/** Outcome of a resource whose change was vetoed. */
function applyVeto(look: Decided, outcome: Exclude<Judgement, { verdict: 'error' }>, { kind, reason }: Veto): Outcome {
  if (kind === 'refused') return notTried(look, reason)
  if (outcome.verdict === 'drifted') return { ...outcome, change: 'cannot' as const, changeReason: reason }
  const { decision } = outcome
  const warning = `does not react to the change of a resource it subscribes to: ${reason}`
  return { ...outcome, decision: { ...decision, plan: NO_PLAN, warnings: [...(decision.warnings ?? []), warning] } }
}

function obstaclesOf({ plan }: Decision<unknown>): readonly Obstacle[] {
  return plan.kind === 'none' ? [] : plan.obstacles
}

async function fix(
  resource: PreparedResource,
  seen: Decided,
  target: Target,
  remediator: Remediator,
): Promise<Outcome> {
  const applied = await apply(seen, remediator)
  const { plan } = seen.decision
  target.forget(plan.kind === 'act' ? plan.touches : undefined)
  return { ...verify(await observeAgain(resource, target, true), seen.decision, applied), wasApplied: true }
}

/** Observes a resource again after its turn or, with `applied`, after its plan was applied. */
export async function observeAgain(resource: PreparedResource, target: Target, applied: boolean): Promise<Examination> {
  const after = await examine(resource, target, { subscribed: false, applied })
  const rest = target.offlineAs === undefined ? after : leaveOutRunning(after)
  return rest.kind === 'not-applicable' ? after : rest
}

function examine(resource: PreparedResource, target: Target, occasion: Occasion): Examination | Promise<Examination> {
  try {
    const examination = resource.examine(target, occasion)
    return examination instanceof Promise ? examination.catch(internal) : examination
  } catch (error) {
    return internal(error)
  }
}

async function apply(examination: Decided, remediator: Remediator): Promise<ApplyOutcome> {
  try {
    return await examination.apply(remediator)
  } catch (error) {
    return { kind: 'failed', message: internal(error).detail }
  }
}

/** An exception in a resource type is a bug; it must only affect its own resource, never the run. */
export function internal(error: unknown): Unknown {
  const detail = error instanceof Error ? error.message : String(error)
  return { kind: 'unknown', reason: 'internal', detail }
}

/** The outcome of what could not be observed. */
export function undecidedOutcome({ reason, detail }: Unknown): Outcome {
  return { verdict: 'error', reason, message: detail }
}

function judge(look: Decided, surroundings: Surroundings): Judgement {
  const { decision } = look
  const obstacles = obstaclesOf(decision)
  const standing = obstacles.filter((obstacle) => !mayVanish(obstacle, surroundings))
  const fatal = standing.find((obstacle) => obstacle.fatal !== undefined)
  if (fatal?.fatal !== undefined) return { verdict: 'error', reason: fatal.fatal, message: fatal.reason, decision }
  if (decision.drift.length > 0)
    return { verdict: 'drifted', decision, look, ...changeOf(decision, standing, surroundings) }
  const [unread] = decision.unknown
  if (unread === undefined) return { verdict: 'compliant', decision, look }
  return { verdict: 'error', reason: unread.reason, message: `${unread.property}: ${unread.detail}`, decision }
}

/** True if a pending earlier fix may remove the obstacle. */
function mayVanish(
  { missing = [], mayComeWithRequirement }: Obstacle,
  { isPending, pendingRequirement, pendingRead }: Surroundings,
): boolean {
  // With another value, the obstacle may differ or disappear.
  if (pendingRead !== undefined) return true
  if (mayComeWithRequirement === true && pendingRequirement !== undefined) return true
  return typeof missing === 'string' ? isPending(missing) : missing.some(isPending)
}

function changeOf(
  decision: Decision<unknown>,
  standing: readonly Obstacle[],
  surroundings: Surroundings,
): { change: Change; changeReason?: string } {
  const left = describeLeftover(decision, (obstacle) => !mayVanish(obstacle, surroundings))
  if (standing.length > 0) return { change: 'cannot', changeReason: joinReasons(standing) }
  if (left !== undefined) return { change: 'cannot', changeReason: left }
  const assumption = assumptionOf(decision, surroundings)
  return assumption === undefined ? { change: 'will' } : { change: 'may', changeReason: assumption.reason }
}

function prospectOf(decision: Decision<unknown>, isTried: boolean, surroundings: Surroundings): Prospect {
  const assumption = isTried ? assumptionOf(decision, surroundings) : undefined
  return { isTried, ...defined({ assumption }) }
}

/** The assumption about an earlier fix; only if no other obstacle exists. */
function assumptionOf(decision: Decision<unknown>, surroundings: Surroundings): Assumption | undefined {
  const { pendingRequirement, pendingRead } = surroundings
  if (pendingRead !== undefined) return { reason: pendingRead, isRead: true }
  const pending = leavesOf(decision).filter((obstacle) => mayVanish(obstacle, surroundings))
  const obstacles = [...obstaclesOf(decision), ...pending]
  if (obstacles.length > 0) {
    return { reason: `${joinReasons(obstacles)}, which an earlier fix provides`, isRead: false }
  }
  if (pendingRequirement === undefined) return undefined
  return { reason: `requires ${pendingRequirement}, which drifted`, isRead: false }
}

/** Reason why a fix leaves a part of the drift. */
function describeLeftover(
  decision: Decision<unknown>,
  isStanding: (obstacle: Obstacle) => boolean = () => true,
): string | undefined {
  const standing = leavesOf(decision).filter(isStanding)
  return standing.length === 0 ? undefined : joinReasons(standing)
}

function leavesOf({ plan }: Decision<unknown>): readonly Obstacle[] {
  return plan.kind === 'act' ? (plan.leaves ?? []) : []
}

function joinReasons(obstacles: readonly Obstacle[]): string {
  return [...new Set(obstacles.map(({ reason }) => reason))].join('; ')
}

/** Derives the verdict of a fix from a fresh observation, not from the claims of the apply step. */
function verify(after: Examination, before: Decision<unknown>, applied: ApplyOutcome): Outcome {
  const output = applied.output === undefined ? {} : { output: applied.output }
  const look = after.kind === 'decided' ? { look: after } : {}
  const left = describeLeftover(before)
  const failed = (remaining: Decision<unknown>['drift'], message: string): Outcome => ({
    verdict: 'fix-failed',
    decision: before,
    remaining,
    change: left === undefined ? 'will' : 'cannot',
    message,
    ...output,
    ...look,
  })
  if (after.kind !== 'decided') {
    const seen = `could not be verified: ${after.detail}`
    return failed([], applied.kind === 'failed' ? `${applied.message}; ${seen}` : seen)
  }
  const { drift, unknown } = after.decision
  if (applied.kind === 'failed') return failed(drift, applied.message)
  if (drift.length > 0 && left !== undefined) return failed(drift, [...describeActions(before), left].join(', but '))
  if (drift.length > 0)
    return failed(drift, `failed to reach the desired state: ${drift.map((d) => d.property).join(', ')}`)
  const [unread] = unknown
  if (unread !== undefined && before.unknown.some(({ property }) => property === unread.property)) {
    // The value was unknown before as well, so no fix of it can have failed.
    const message = [...describeActions(before), `${unread.property}: ${unread.detail}`].join('; ')
    return { verdict: 'error', reason: unread.reason, message, decision: after.decision, ...look }
  }
  if (unread !== undefined) return failed([], `could not be verified: ${unread.property}: ${unread.detail}`)
  return { verdict: 'fixed', decision: before, actions: describeActions(before), ...output, ...look }
}

/** Completed actions of the plan. */
function describeActions(decision: Decision<unknown>): readonly string[] {
  return actionsOf(decision).map(pastTense)
}

export function actionsOf({ plan }: Decision<unknown>): readonly string[] {
  return plan.kind === 'act' ? [plan.text] : []
}
