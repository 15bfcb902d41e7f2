import { defined } from '../model/defined.ts'
import type { Control, Declaration, Policy } from '../model/policy.ts'
import type { ResourceResult } from '../model/run.ts'
import type { Expectation } from '../model/saved-plan.ts'
import type { Verdict } from '../model/verdict.ts'
import type { Remediator } from '../host/remediator.ts'
import { hideTexts } from '../policy/secrets/redactor.ts'
import type { Keeping } from './undo/keeping.ts'
import { evaluate, type Outcome, type Surroundings, undecidedOutcome } from './evaluate.ts'
import { redactHealth, runHealthChecks } from './health.ts'
import { withHealth } from './judge-health.ts'
import { decidedOf } from './plan/fingerprint.ts'
import type { Foresight } from './plan/foresight.ts'
import { gate, prepare, type PrepareContext, type Prepared, type Preparing } from './prepare.ts'
import {
  examinedResult,
  type Identity,
  monitoredResult,
  type PlaceInRun,
  type Unexamined,
  unexaminedResult,
} from './result.ts'
import { type OwedReactions, type Reaction, trackReactions } from './owed.ts'
import type { PendingPaths } from './pending-paths.ts'
import type { Recheck } from './recheck.ts'
import type { Register } from './register.ts'
import type { Reviewer, Veto } from './review.ts'
import type { RunWaivers } from './waivers.ts'

/** Context shared by all policies of a run. */
export interface RunContext extends PrepareContext {
  /** Present only in a fix; absent for resources that an apply resource only audits. */
  readonly remediator: Remediator | undefined
  /** Stores backups of replaced state, if requested. */
  readonly keeping: Keeping | undefined
  /** Pending reactions of earlier fixes; absent without storage for them. */
  readonly owed: OwedReactions | undefined
  /** Present only in a fix. */
  readonly recheck: Recheck | undefined
  /** Approves a change before it is made; in an audit, a change that a fix would make. */
  readonly review: Reviewer | undefined
  /** Receives the states that an audit expects after its plan was applied. */
  readonly onExpectation: ((expectation: Expectation) => void) | undefined
  /** Run only health checks; observe and change nothing. */
  readonly monitorOnly: boolean
  /** Treat a health check's WARNING as CRITICAL. */
  readonly strictHealth: boolean
  /** Publishes registrations of stable resources; absent without a registry, and in audits. */
  readonly register: Register | undefined
  /** Ids of the selected resources, for each policy and its children. */
  readonly selected: ReadonlyMap<Policy, ReadonlySet<string>>
  /** Ids of the reported controls without resources, by policy. */
  readonly bareControls: ReadonlyMap<Policy, ReadonlySet<string>>
  /** Waivers; absent without any. */
  readonly waivers: RunWaivers | undefined
  /** Adds run information to a result. */
  readonly conclude: (policy: string, result: ResourceResult) => ResourceResult
  /** Called before each counted resource. */
  readonly onResource: (id: string) => void
  /** Called after each counted resource, with the id of the top-level policy. */
  readonly onResult: (policy: string, result: ResourceResult) => void
  /** Awaited before the next resource. */
  readonly pause: () => Promise<void> | undefined
}

/** Circumstances in which a policy is evaluated. */
export interface Situation {
  /** Id of the top-level policy: its own, or that of the policy that applies it. */
  readonly root: string
  readonly place: PlaceInRun
  readonly pending: PendingPaths
  /** Reason why the policy is not evaluated. */
  readonly stopped: Unexamined | undefined
  /** The apply resource with `noop`, below which nothing is changed. */
  readonly noopBy: string | undefined
}

/** Evaluation state of a policy. */
export interface PolicyProgress extends Preparing {
  readonly context: RunContext
  readonly situation: Situation
  /** Ids of earlier resources that were changed or, in an audit, would be. */
  readonly changed: ReadonlySet<string>
  /** Ids of earlier resources with secret values. */
  readonly secret: Set<string>
  /** Present in an audit that reports the expected results of its plan. */
  readonly foresight?: Foresight
  /** Controls that a resource supports, by resource id. */
  readonly supported: (id: string) => readonly Control[]
}

/** Time since `start` (a `performance.now()`), in milliseconds with microsecond resolution. */
export function millisecondsSince(start: number): number {
  return Math.round((performance.now() - start) * 1000) / 1000
}

/**
 * Audits a resource and, in a fix, remediates it. Synchronous if the target is: thousands of promises for small files
 * would cost more than reading them.
 */
export function runResource(
  declaration: Declaration,
  identity: Identity,
  progress: PolicyProgress,
): ResourceResult | Promise<ResourceResult> {
  const start = performance.now()
  const { complete } = progress.policy
  const ready = complete?.(() => prepare(declaration, progress)) ?? prepare(declaration, progress)
  return ready instanceof Promise
    ? ready.then((fetched) => runPrepared(declaration, { identity, ready: fetched, start }, progress))
    : runPrepared(declaration, { identity, ready, start }, progress)
}

interface Started {
  readonly identity: Identity
  readonly ready: Unexamined | Prepared
  readonly start: number
}

function runPrepared(
  declaration: Declaration,
  { identity, ready, start }: Started,
  progress: PolicyProgress,
): ResourceResult | Promise<ResourceResult> {
  const { context, policy, situation, verdicts, exported, secret } = progress
  const { pending, noopBy } = situation
  const { redactor, target, remediator, waivers } = context
  if ('verdict' in ready) {
    // A health-only run observes no values, and no health check needs one.
    const isUnread = context.monitorOnly && ready.verdict === 'blocked' && gate(declaration, progress) === undefined
    if (!isUnread) return unexaminedResult(identity, ready, redactor)
    const { type, provider = context.types.get(type)?.providers[0]?.name ?? '' } = declaration
    return monitoredResult(identity, declaration, provider)
  }
  const { type, prepared, secrecy } = ready
  if (secrecy.sensitive) secret.add(declaration.id)
  if (context.monitorOnly) return monitoredResult(identity, declaration, prepared.provider)
  const { provider } = prepared
  const reaction = reactionOf(declaration, progress)
  const readsBefore = policy.reads?.secretReads
  const isSensitive = (): boolean => secrecy.sensitive || policy.reads?.secretReads !== readsBefore
  const examined = (outcome: Outcome): ResourceResult => {
    const durationMs = millisecondsSince(start)
    const how = { provider, secrecy: { ...secrecy, sensitive: isSensitive() }, redactor, durationMs }
    return examinedResult(identity, onlyAudited(outcome, noopBy), how)
  }
  const finish = (outcome: Outcome): ResourceResult => {
    // Observing renders templates of other files.
    if (isSensitive()) secret.add(declaration.id)
    policy.reads?.takeDerived().forEach(redactor.addSecret)
    progress.foresight?.keepLook(declaration.id, outcome.look)
    exported.keepLook({ ...declaration, sensitive: isSensitive() }, type, outcome)
    const result = reaction.end(examined(outcome))
    const held = waivers?.holds(result)
    if (held !== undefined) return { ...result, change: 'cannot', changeReason: held }
    context.recheck?.keep({ policy: situation.root, prepared, outcome, toResult: examined })
    if (outcome.verdict === 'drifted' && outcome.change !== 'cannot') pending.add(prepared.provides, declaration.id)
    return result
  }
  const isPending = pendingFor(declaration.id, progress)
  const look = (): Outcome | Promise<Outcome> =>
    evaluate(prepared, {
      target,
      remediator: remediator && keepingFor(remediator, identity, progress),
      isPending,
      pendingRequirement: declaration.require.find((id) => verdicts.get(id) === 'drifted'),
      pendingRead: pendingRead(declaration, progress),
      subscribed: reaction.isDue,
      onApply: reaction.begin,
      isAccepted: (drifted) => waivers?.holds(examined(drifted)) !== undefined,
      review: reviewerOf(declaration, { ready, examined }, progress),
    })
  const paths = (): readonly string[] => pathsIn(ready.values, progress.policy.workingDirectory)
  if (progress.foresight !== undefined) paths().forEach(isPending)
  const outcome =
    target.files
      .findHanging?.(paths, context.signal)
      ?.then((hanging) => (hanging === undefined ? look() : undecidedOutcome(hanging))) ?? look()
  return outcome instanceof Promise ? outcome.then(finish) : finish(outcome)
}

function reactionOf(declaration: Declaration, { policy, situation, context, changed }: PolicyProgress): Reaction {
  const { owed, remediator } = context
  const { root, place } = situation
  const turn = { policy: root, path: place.path, resources: policy.resources, changed }
  return trackReactions(declaration, { ...turn, isFix: remediator !== undefined, owed })
}

/** True if an earlier resource would provide the path; also records the dependency. */
function pendingFor(id: string, { situation, foresight }: PolicyProgress): (path: string) => boolean {
  return (path) => {
    const provider = situation.pending.providerOf(path)
    if (provider !== undefined) foresight?.keepNear(id, provider)
    return provider !== undefined
  }
}

/** Remediator for one resource; it backs up replaced state if the run does. */
function keepingFor(inner: Remediator, identity: Identity, { context, situation }: PolicyProgress): Remediator {
  const { id, path, type, name, alias, severity, source } = identity
  const owner = { policy: situation.root, id, ...defined({ path, alias }), type, name, severity, source }
  return context.keeping?.remediatorFor(inner, owner) ?? inner
}

interface Reviewed {
  readonly ready: Prepared
  readonly examined: (outcome: Outcome) => ResourceResult
}

/** Review callback for a change; undefined if the resource is never changed. */
function reviewerOf(
  { id, type, name, properties, provider, require, subscribe, control }: Declaration,
  { ready, examined }: Reviewed,
  { context: { review, redactor }, situation, policy, foresight }: PolicyProgress,
): Surroundings['review'] {
  if (review === undefined || situation.noopBy !== undefined) return undefined
  const noted = (veto: Veto | undefined): Veto | undefined => {
    if (veto?.kind === 'left') foresight?.keepLeft(id)
    return veto
  }
  return (outcome, { isTried, assumption }) => {
    policy.reads?.takeDerived().forEach(redactor.addSecret)
    const reason = hideTexts(redactor.text(assumption?.reason ?? ''), ready.secrecy.texts)
    const decided = outcome.decision === undefined ? undefined : decidedOf(outcome.decision)
    const veto = review({
      policy: situation.root,
      result: examined(outcome),
      declared: { type, name, properties, provider, require, subscribe, control },
      wanted: { provider: ready.prepared.provider, values: ready.values },
      decided,
      isTried,
      ...(assumption && { assumption: { ...assumption, reason } }),
    })
    return veto instanceof Promise ? veto.then(noted) : noted(veto)
  }
}

/** The longest path that a system call takes. @see limits.h(0p), PATH_MAX */
const LONGEST_PATH = 4096

/** Property values that can be paths; the property name depends on the type. */
function pathsIn(values: Readonly<Record<string, unknown>>, workingDirectory: string): readonly string[] {
  return Object.values(values).flatMap((value) => {
    if (typeof value === 'object' && value !== null) return pathsIn({ ...value }, workingDirectory)
    const mayBePath = typeof value === 'string' && value !== '' && value.length < LONGEST_PATH && !/[\n\0]/.test(value)
    return mayBePath ? [value.startsWith('/') ? value : `${workingDirectory}/${value}`] : []
  })
}

/** Describes a pending value that the resource reads from an earlier resource that a fix would still change. */
function pendingRead({ reads = [] }: Declaration, { context, verdicts, changed }: PolicyProgress): string | undefined {
  for (const { resource, field } of reads) {
    if (verdicts.get(resource) === 'drifted') return `reads ${field} of ${resource}, which drifted`
    // A fix has already observed its changes again.
    const isPending = context.remediator === undefined && changed.has(resource)
    if (isPending) return `reads ${field} of ${resource}, which has a pending change`
  }
  return undefined
}

/** A fix changes nothing below an apply resource with `noop`. */
function onlyAudited(outcome: Outcome, noopBy: string | undefined): Outcome {
  if (noopBy === undefined || outcome.verdict !== 'drifted') return outcome
  return { ...outcome, change: 'cannot' as const, changeReason: `${noopBy} has noop and is only audited` }
}

const UNTOUCHED: ReadonlySet<Verdict> = new Set(['not-applicable', 'blocked'])

/** Runs the health checks of an applicable resource with any verdict. */
export async function examineHealth(
  result: ResourceResult,
  { healthChecks = [], sensitive }: Declaration,
  context: RunContext,
): Promise<ResourceResult> {
  if (UNTOUCHED.has(result.verdict)) return result
  const { redactor, remediator, strictHealth } = context
  const health = redactHealth(
    await runHealthChecks(healthChecks, { ...context, ...context.permitted }),
    redactor,
    sensitive,
  )
  const judged = (isFix: boolean): ResourceResult => withHealth(result, health, { isFix, isStrict: strictHealth })
  if (remediator === undefined) return judged(false)
  // Accepted drift that was left unchanged is not a failed fix.
  const observed = judged(false)
  const isAccepted = observed.verdict === 'drifted' && context.waivers?.acceptsAll(observed) === true
  return isAccepted ? observed : judged(true)
}

/** True if subscribers react: to a change that a fix made or, in an audit, would make. */
export function isChange({ verdict, change, actions }: ResourceResult, { remediator }: RunContext): boolean {
  return verdict === 'fixed' || (remediator === undefined && actions.length > 0 && change !== 'cannot')
}
