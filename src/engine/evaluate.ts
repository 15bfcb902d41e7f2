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

/** What evaluating one resource needs of its surroundings. */
export interface Surroundings {
  readonly target: Target
  /** Present in a fix, and only then. */
  readonly remediator: Remediator | undefined
  /** Whether an earlier resource that is still to be fixed would provide this path. */
  readonly isPending: (path: string) => boolean
  /** A drifted resource that this one requires, if any. */
  readonly pendingRequirement: string | undefined
  /** Why a value that it reads of an earlier resource may still change, if it may: `reads ... of ..., which drifted`. */
  readonly pendingRead: string | undefined
  /** Whether a resource it subscribes to was changed, or in an audit would be. */
  readonly subscribed: boolean
  /** Called before a plan is carried out. Gives why it must not be. */
  readonly onApply?: () => string | undefined
  /** Whether a fix leaves what drifted as it is, because it is accepted. */
  readonly isAccepted: (outcome: Outcome) => boolean
  /** Asked before anything is changed, and in an audit about what would be; absent without prompts. */
  readonly review:
    ((outcome: Judgement, prospect: Prospect) => Veto | undefined | Promise<Veto | undefined>) | undefined
}

/** Whether a fix tries to change something, and what it counts on then. */
export type Prospect = Pick<Proposal, 'isTried' | 'assumption'>

/** The outcome of one resource before it is put in the words of a report. */
export type Outcome = Finding & {
  /** The last look that found something to decide about. */
  readonly look?: Decided
  /** Whether a fix has carried out a plan, with any result. */
  readonly wasApplied?: true
}

type Decided = Extract<Examination, { kind: 'decided' }>

type Finding =
  /** Its plan, if any, is what a change of a subscribed resource asks for. */
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
      /** What a command wrote that people should see. */
      readonly output?: string
    }
  | {
      readonly verdict: 'fix-failed'
      readonly decision: Decision<unknown>
      /** What a fresh look after the attempt still found; what was found before where nothing was attempted. */
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
  /** It does not concern the machine, or only a running system could answer and that was asked to be left out. */
  | { readonly verdict: 'not-applicable'; readonly message: string; readonly decision?: undefined }

/**
 * Observes and decides; in a fix also applies the plan and looks again. The only place verdicts are made. Answers at
 * once where the machine does.
 */
export function evaluate(resource: PreparedResource, surroundings: Surroundings): Outcome | Promise<Outcome> {
  const { target, remediator, subscribed, review } = surroundings
  const examination = examine(resource, target, { subscribed, applied: false })
  const conclude = (examined: Examination): Outcome | Promise<Outcome> => {
    const seen = target.offlineAs === undefined ? examined : leaveOutRunning(examined)
    if (seen.kind === 'unknown') return undecided(seen)
    if (seen.kind === 'not-applicable') return { verdict: 'not-applicable', message: seen.detail }
    const outcome = judge(seen, surroundings)
    if ((remediator === undefined && review === undefined) || outcome.verdict === 'error') return outcome
    if (outcome.verdict === 'compliant' && actionsOf(seen.decision).length === 0) return outcome
    if (outcome.verdict === 'drifted' && surroundings.isAccepted(outcome)) return outcome
    const refused = refusal(seen, surroundings)
    const proceed = (veto: Veto | undefined): Outcome | Promise<Outcome> => {
      if (veto !== undefined) return vetoed(seen, outcome, veto)
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

/** What is known before anything is changed. */
export type Judgement = Extract<Outcome, { verdict: 'compliant' | 'drifted' | 'error' }>

/** Why a fix does not even try: any obstacle of the differences or of a change it reacts to. */
function refusal(look: Decided, surroundings: Surroundings): Outcome | undefined {
  const { decision } = look
  const standing = obstaclesOf(decision).filter((obstacle) => !mayVanish(obstacle, surroundings))
  if (standing.length === 0) return undefined
  return notTried(look, reasons(standing))
}

function notTried(look: Decided, message: string): Outcome {
  const { decision } = look
  return { verdict: 'fix-failed', decision, remaining: decision.drift, change: 'cannot', message, look }
}

/** What becomes of a resource that is not to be changed. */
function vetoed(look: Decided, outcome: Exclude<Judgement, { verdict: 'error' }>, { kind, reason }: Veto): Outcome {
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

/** Observes a resource whose turn is over or, with `applied`, whose plan was carried out. */
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

/** A resource type that throws has a defect; that must cost its own resource only, never the run. */
export function internal(error: unknown): Unknown {
  const detail = error instanceof Error ? error.message : String(error)
  return { kind: 'unknown', reason: 'internal', detail }
}

function undecided({ reason, detail }: Unknown): Outcome {
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

/** Whether an earlier fix that is still to be made may take the obstacle away. */
function mayVanish(
  { missing = [], mayComeWithRequirement }: Obstacle,
  { isPending, pendingRequirement, pendingRead }: Surroundings,
): boolean {
  // With another value the obstacle may be another one, or none.
  if (pendingRead !== undefined) return true
  if (mayComeWithRequirement === true && pendingRequirement !== undefined) return true
  return typeof missing === 'string' ? isPending(missing) : missing.some(isPending)
}

function changeOf(
  decision: Decision<unknown>,
  standing: readonly Obstacle[],
  surroundings: Surroundings,
): { change: Change; changeReason?: string } {
  const left = leftover(decision, (obstacle) => !mayVanish(obstacle, surroundings))
  if (standing.length > 0) return { change: 'cannot', changeReason: reasons(standing) }
  if (left !== undefined) return { change: 'cannot', changeReason: left }
  const assumption = assumptionOf(decision, surroundings)
  return assumption === undefined ? { change: 'will' } : { change: 'may', changeReason: assumption.reason }
}

function prospectOf(decision: Decision<unknown>, isTried: boolean, surroundings: Surroundings): Prospect {
  const assumption = isTried ? assumptionOf(decision, surroundings) : undefined
  return { isTried, ...defined({ assumption }) }
}

/** What an earlier fix would have to bring about first; said only where nothing else stands in the way. */
function assumptionOf(decision: Decision<unknown>, surroundings: Surroundings): Assumption | undefined {
  const { pendingRequirement, pendingRead } = surroundings
  if (pendingRead !== undefined) return { reason: pendingRead, isRead: true }
  const pending = leavesOf(decision).filter((obstacle) => mayVanish(obstacle, surroundings))
  const obstacles = [...obstaclesOf(decision), ...pending]
  if (obstacles.length > 0) {
    return { reason: `${reasons(obstacles)}, which an earlier fix provides`, isRead: false }
  }
  if (pendingRequirement === undefined) return undefined
  return { reason: `requires ${pendingRequirement}, which drifted`, isRead: false }
}

/** Why a part of the drift will be there after a fix that does the rest. */
function leftover(
  decision: Decision<unknown>,
  isStanding: (obstacle: Obstacle) => boolean = () => true,
): string | undefined {
  const standing = leavesOf(decision).filter(isStanding)
  return standing.length === 0 ? undefined : reasons(standing)
}

function leavesOf({ plan }: Decision<unknown>): readonly Obstacle[] {
  return plan.kind === 'act' ? (plan.leaves ?? []) : []
}

function reasons(obstacles: readonly Obstacle[]): string {
  return [...new Set(obstacles.map(({ reason }) => reason))].join('; ')
}

/** The verdict of a fix comes from what a fresh look finds, not from what applying claimed. */
function verify(after: Examination, before: Decision<unknown>, applied: ApplyOutcome): Outcome {
  const output = applied.output === undefined ? {} : { output: applied.output }
  const look = after.kind === 'decided' ? { look: after } : {}
  const left = leftover(before)
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
  if (drift.length > 0 && left !== undefined) return failed(drift, [...done(before), left].join(', but '))
  if (drift.length > 0)
    return failed(drift, `failed to reach the desired state: ${drift.map((d) => d.property).join(', ')}`)
  const [unread] = unknown
  if (unread !== undefined && before.unknown.some(({ property }) => property === unread.property)) {
    // It was not known before either, so nothing was done about it that could have failed.
    const message = [...done(before), `${unread.property}: ${unread.detail}`].join('; ')
    return { verdict: 'error', reason: unread.reason, message, decision: after.decision, ...look }
  }
  if (unread !== undefined) return failed([], `could not be verified: ${unread.property}: ${unread.detail}`)
  return { verdict: 'fixed', decision: before, actions: done(before), ...output, ...look }
}

/** What carrying out its plan has done. */
function done(decision: Decision<unknown>): readonly string[] {
  return actionsOf(decision).map(pastTense)
}

/** What a plan says it would do. */
export function actionsOf({ plan }: Decision<unknown>): readonly string[] {
  return plan.kind === 'act' ? [plan.text] : []
}
