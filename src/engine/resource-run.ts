import { defined } from '../model/defined.ts'
import type { Control, Declaration, Policy } from '../model/policy.ts'
import type { Unknown } from '../model/observation.ts'
import type { ResourceResult } from '../model/run.ts'
import type { Expectation } from '../model/saved-plan.ts'
import type { Verdict } from '../model/verdict.ts'
import type { Remediator } from '../host/remediator.ts'
import { hideTexts } from '../policy/secrets/redactor.ts'
import type { Keeping } from './undo/keeping.ts'
import { evaluate, type Outcome, type Surroundings } from './evaluate.ts'
import { redactHealth, runHealthChecks } from './health.ts'
import { withHealth } from './judge-health.ts'
import { decidedOf } from './plan/fingerprint.ts'
import type { Foresight } from './plan/foresight.ts'
import { gate, prepare, type PrepareContext, type Prepared, type Preparing } from './prepare.ts'
import {
  examinedResult,
  type Identity,
  monitored,
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

/** What all policies of a run share. */
export interface RunContext extends PrepareContext {
  /** Present in a fix, and only then; never for what an apply resource only audits. */
  readonly remediator: Remediator | undefined
  /** Keeps what the fix replaces, where that is asked for. */
  readonly keeping: Keeping | undefined
  /** The reactions that earlier fixes owe; absent where nothing keeps them. */
  readonly owed: OwedReactions | undefined
  /** Present in a fix, and only then. */
  readonly recheck: Recheck | undefined
  /** Asked before a resource is changed, or in an audit about what would be. */
  readonly review: Reviewer | undefined
  /** Told by an audit what it expects of resources once its plan was carried out. */
  readonly onExpectation: ((expectation: Expectation) => void) | undefined
  /** Only health checks are run, nothing is looked at or changed. */
  readonly monitorOnly: boolean
  /** Whether a health check's WARNING counts as CRITICAL does. */
  readonly strictHealth: boolean
  /** Publishes what stable resources are registered as; absent where nothing is, and in every audit. */
  readonly register: Register | undefined
  /** The ids of the resources that are evaluated, of every policy and its children. */
  readonly selected: ReadonlyMap<Policy, ReadonlySet<string>>
  /** By policy the ids of the controls without resources that are reported. */
  readonly bareControls: ReadonlyMap<Policy, ReadonlySet<string>>
  /** What drift is accepted; absent where the run was given no waivers. */
  readonly waivers: RunWaivers | undefined
  /** Adds to a result what the run knows beside the machine. */
  readonly conclude: (policy: string, result: ResourceResult) => ResourceResult
  /** Called before each resource that counts. */
  readonly onResource: (id: string) => void
  /** Called after each resource that counts, with the id of the policy that was given to the run. */
  readonly onResult: (policy: string, result: ResourceResult) => void
  /** What to wait for before the next resource. */
  readonly pause: () => Promise<void> | undefined
}

/** What a policy meets when its turn comes. */
export interface Situation {
  /** The id of the policy that was given to the run: its own, or that of the one which applies it. */
  readonly root: string
  readonly place: PlaceInRun
  readonly pending: PendingPaths
  /** Why nothing of it is evaluated. */
  readonly stopped: Unexamined | undefined
  /** The apply resource because of which nothing below is ever changed. */
  readonly noopBy: string | undefined
}

/** How far a policy has come. */
export interface PolicyProgress extends Preparing {
  readonly context: RunContext
  readonly situation: Situation
  /** The ids of the earlier resources that were changed, or in an audit would be. */
  readonly changed: ReadonlySet<string>
  /** The ids of the earlier resources whose values are made of secrets. */
  readonly secret: Set<string>
  /** Present in an audit that is asked what it expects of its plan. */
  readonly foresight?: Foresight
  /** The controls that a resource supports, by its id. */
  readonly supported: (id: string) => readonly Control[]
}

/** The time since `performance.now()` gave `start`, in milliseconds to the microsecond. */
export function millisecondsSince(start: number): number {
  return Math.round((performance.now() - start) * 1000) / 1000
}

/** Looks at a resource and repairs it in a fix. Answers at once where the machine does; thousands of promises for small files would cost more than reading them. */
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
    // Where nothing is looked at no value is known, and no health check needs one.
    const isUnread = context.monitorOnly && ready.verdict === 'blocked' && gate(declaration, progress) === undefined
    if (!isUnread) return unexaminedResult(identity, ready, redactor)
    const { type, provider = context.types.get(type)?.providers[0]?.name ?? '' } = declaration
    return monitored(identity, declaration, provider)
  }
  const { type, prepared, secrecy } = ready
  if (secrecy.sensitive) secret.add(declaration.id)
  if (context.monitorOnly) return monitored(identity, declaration, prepared.provider)
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
    // Templates in other files are rendered while the machine is looked at.
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
    target.findHanging?.(paths, context.signal)?.then((hanging) => (hanging === undefined ? look() : hangs(hanging))) ??
    look()
  return outcome instanceof Promise ? outcome.then(finish) : finish(outcome)
}

function reactionOf(declaration: Declaration, { policy, situation, context, changed }: PolicyProgress): Reaction {
  const { owed, remediator } = context
  const { root, place } = situation
  const turn = { policy: root, path: place.path, resources: policy.resources, changed }
  return trackReactions(declaration, { ...turn, isFix: remediator !== undefined, owed })
}

/** Whether an earlier resource would provide a path; the caller learns that this resource depends on it. */
function pendingFor(id: string, { situation, foresight }: PolicyProgress): (path: string) => boolean {
  return (path) => {
    const provider = situation.pending.providerOf(path)
    if (provider !== undefined) foresight?.keepNear(id, provider)
    return provider !== undefined
  }
}

/** The remediator for one resource, which keeps what it replaces where the run does. */
function keepingFor(inner: Remediator, identity: Identity, { context, situation }: PolicyProgress): Remediator {
  const { id, path, type, name, alias, severity, source } = identity
  const owner = { policy: situation.root, id, ...defined({ path, alias }), type, name, severity, source }
  return context.keeping?.remediatorFor(inner, owner) ?? inner
}

interface Reviewed {
  readonly ready: Prepared
  readonly examined: (outcome: Outcome) => ResourceResult
}

/** The prompt before the resource is changed; undefined where nothing of it ever is. */
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

function hangs({ reason, detail }: Unknown): Outcome {
  return { verdict: 'error', reason, message: detail }
}

/** The longest path that a system call takes. @see limits.h(0p), PATH_MAX */
const LONGEST_PATH = 4096

/** Values of a resource that may be a path: types name theirs in many ways. */
function pathsIn(values: Readonly<Record<string, unknown>>, workingDirectory: string): readonly string[] {
  return Object.values(values).flatMap((value) => {
    if (typeof value === 'object' && value !== null) return pathsIn({ ...value }, workingDirectory)
    const mayBePath = typeof value === 'string' && value !== '' && value.length < LONGEST_PATH && !/[\n\0]/.test(value)
    return mayBePath ? [value.startsWith('/') ? value : `${workingDirectory}/${value}`] : []
  })
}

/** A value that the resource reads of an earlier one which a fix would still change, in words. */
function pendingRead({ reads = [] }: Declaration, { context, verdicts, changed }: PolicyProgress): string | undefined {
  for (const { resource, field } of reads) {
    if (verdicts.get(resource) === 'drifted') return `reads ${field} of ${resource}, which drifted`
    // What a fix has changed was looked at again.
    const isPending = context.remediator === undefined && changed.has(resource)
    if (isPending) return `reads ${field} of ${resource}, which has a pending change`
  }
  return undefined
}

/** Below an apply resource with `noop` a fix changes nothing. */
function onlyAudited(outcome: Outcome, noopBy: string | undefined): Outcome {
  if (noopBy === undefined || outcome.verdict !== 'drifted') return outcome
  return { ...outcome, change: 'cannot' as const, changeReason: `${noopBy} has noop and is only audited` }
}

const UNTOUCHED: ReadonlySet<Verdict> = new Set(['not-applicable', 'blocked'])

/** Runs the health checks of a resource that applies to this machine, with any result so far. */
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
  // What nothing was done about and is accepted as it is has not failed to be fixed.
  const observed = judged(false)
  const isAccepted = observed.verdict === 'drifted' && context.waivers?.acceptsAll(observed) === true
  return isAccepted ? observed : judged(true)
}

/** Whether those that subscribe to a resource react: to what a fix has changed, and to what it would change. */
export function isChange({ verdict, change, actions }: ResourceResult, { remediator }: RunContext): boolean {
  return verdict === 'fixed' || (remediator === undefined && actions.length > 0 && change !== 'cannot')
}
