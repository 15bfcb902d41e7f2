import { setImmediate } from 'node:timers/promises'
import { defined } from '../model/defined.ts'
import type { Child, Control, Declaration } from '../model/policy.ts'
import type { ControlResult, PolicyResult, ResourceResult } from '../model/run.ts'
import { type ControlVerdict, CONTROLS_WORST_FIRST, type Verdict, worstVerdict } from '../model/verdict.ts'
import type { Redactor } from '../policy/secrets/redactor.ts'
import { createExportStore, hidingSecrets } from './exported.ts'
import { predictState } from './foresee.ts'
import { createForesight, type Foresight } from './plan/foresight.ts'
import { createPendingPaths } from './pending-paths.ts'
import { blockedBy, resourceContexts } from './prepare.ts'
import { registerStable } from './register.ts'
import {
  examineHealth,
  isChange,
  millisecondsSince,
  type PolicyProgress,
  type RunContext,
  runResource,
  type Situation,
} from './resource-run.ts'
import {
  identify,
  type Identity,
  monitoredResult,
  type PlaceInRun,
  supportedControls,
  TOP,
  type Unexamined,
  unexaminedResult,
} from './result.ts'
import { rollUp } from './roll-up.ts'
import { countSkipped } from './skipped.ts'
import type { RunnablePolicy } from '../policy/runnable/policy.ts'

/** Maximum time between yields to signals and the terminal, in milliseconds. */
const LONGEST_STRETCH_MS = 50

const FAILED: ReadonlySet<Verdict> = new Set(['error', 'fix-failed'])

/** Evaluates the selected resources of a policy and its children, in order. */
export async function runPolicy(policy: RunnablePolicy, context: RunContext): Promise<PolicyResult> {
  const { id, title, version, source, sha256 } = policy
  const pending = createPendingPaths()
  const situation: Situation = { root: id, place: TOP, pending, stopped: undefined, noopBy: undefined }
  const { results, controls } = await runParts(policy, situation, context)
  const skipped = countSkipped(policy, { results, controls })
  return {
    id,
    ...defined({ title, version }),
    source,
    sha256,
    resources: results,
    controls,
    ...(skipped === 0 ? {} : { skipped }),
  }
}

/** Results of a resource and of everything below it. */
interface Part {
  /** Its own result and those below, in order; empty if interrupted before any result. */
  readonly results: readonly ResourceResult[]
  /** Results of the controls below. */
  readonly controls: readonly ControlResult[]
  /** True if subscribers react: to a change that a fix made or, in an audit, would make. */
  readonly isChange: boolean
}

async function runParts(policy: RunnablePolicy, situation: Situation, context: RunContext): Promise<Part> {
  const { redactor, signal } = context
  const verdicts = new Map<string, Verdict>()
  const changed = new Set<string>()
  const supported = supportedControls(policy, situation.place)
  const resources = resourceContexts(policy, context)
  const exported = createExportStore(policy.resources, redactor)
  policy.onExports?.(exported)
  const secret = new Set<string>()
  const shared = { policy, context, situation, resources, exported, supported }
  const foresight = context.onExpectation === undefined ? undefined : createForesight()
  const progress: PolicyProgress = { ...shared, verdicts, changed, secret, ...defined({ foresight }) }
  const selected = context.selected.get(policy)
  const results: ResourceResult[] = []
  const controlsBelow: ControlResult[] = []
  let { stopped } = situation
  let stretchStart = performance.now()
  for (const declaration of policy.resources) {
    if (selected?.has(declaration.id) !== true) continue
    if (performance.now() - stretchStart > LONGEST_STRETCH_MS) {
      await setImmediate()
      stretchStart = performance.now()
    }
    const pause = context.pause()
    if (pause !== undefined) await pause
    if (signal.aborted) break
    const hiding = hidingSecrets(declaration, exported)
    const running = runPart(hiding, stopped, progress)
    const part = running instanceof Promise ? await running : running
    const [result] = part.results
    if (result === undefined) break
    for (const each of part.results) results.push(each)
    controlsBelow.push(...part.controls)
    verdicts.set(declaration.id, result.verdict)
    exported.keepVerdict(declaration.id, result.verdict)
    if (part.isChange) changed.add(declaration.id)
    if (foresight !== undefined) await foreseePart({ declaration: hiding, part }, foresight, progress)
    if (policy.failOnError && FAILED.has(result.verdict)) stopped ??= stoppedBy(declaration.id)
  }
  const own = policy.controls.flatMap((control) =>
    controlResult(control, situation.place, { verdicts, bare: context.bareControls.get(policy), redactor }),
  )
  return { results, controls: [...own, ...controlsBelow], isChange: changed.size > 0 }
}

/** For a child manifest, only a change is predicted. */
async function foreseePart(
  { declaration, part }: { readonly declaration: Declaration; readonly part: Part },
  foresight: Foresight,
  progress: PolicyProgress,
): Promise<void> {
  const { policy, supported, situation, context } = progress
  const [result] = part.results
  if (result === undefined) return
  if (policy.children?.has(declaration.id) === true) {
    foresight.keep(declaration.id, { isChange: part.isChange, isTrouble: false })
    return
  }
  const place = { path: situation.place.path, controls: supported(declaration.id) }
  await predictState(
    { declaration, identity: identify(declaration, place, context.redactor), result },
    foresight,
    progress,
  )
}

function stoppedBy(id: string): Unexamined {
  return { verdict: 'blocked', message: `not evaluated: fail_on_error stopped the policy at ${id}`, blockedBy: [id] }
}

function runPart(
  declaration: Declaration,
  stopped: Unexamined | undefined,
  progress: PolicyProgress,
): Part | Promise<Part> {
  const { context, situation, supported, policy } = progress
  const place = { path: situation.place.path, controls: supported(declaration.id) }
  const identity = identify(declaration, place, context.redactor)
  const child = policy.children?.get(declaration.id)
  if (child?.kind === 'loaded') return runChild(declaration, { child, identity, place, stopped }, progress)
  context.onResource(identity.id)
  // Subscribers of a changed resource react, even if its registration failed.
  const finish = (found: ResourceResult, judged = found): Part => {
    const result = context.conclude(situation.root, found)
    context.onResult(situation.root, result)
    return { results: [result], controls: [], isChange: judged.verdict === 'fixed' || isChange(result, context) }
  }
  const unexamined = stopped ?? (child === undefined ? undefined : unloadedOutcome(declaration, child, progress))
  const looked =
    unexamined === undefined
      ? runResource(declaration, identity, progress)
      : unexaminedResult(identity, unexamined, context.redactor)
  if (!isExaminedFurther(declaration, context)) {
    return looked instanceof Promise ? looked.then((result) => finish(result)) : finish(looked)
  }
  return examineFurther(looked, declaration, progress).then(({ judged, result }) => finish(result, judged))
}

/** True if an observed resource has health checks or registrations to run. */
function isExaminedFurther({ healthChecks, registrations }: Declaration, { register }: RunContext): boolean {
  return healthChecks !== undefined || (register !== undefined && registrations !== undefined)
}

interface Further {
  /** Result with health checks. */
  readonly judged: ResourceResult
  /** Result with health checks and registration. */
  readonly result: ResourceResult
}

async function examineFurther(
  looked: ResourceResult | Promise<ResourceResult>,
  declaration: Declaration,
  { context, situation, secret }: PolicyProgress,
): Promise<Further> {
  const found = await looked
  const sensitive = declaration.sensitive || secret.has(declaration.id)
  const told = { ...declaration, sensitive }
  const judged = declaration.healthChecks === undefined ? found : await examineHealth(found, told, context)
  const isOnlyAudited = context.remediator === undefined || context.monitorOnly || situation.noopBy !== undefined
  return { judged, result: isOnlyAudited ? judged : await registerStable(judged, told, context) }
}

/** Result of an apply resource whose manifest was not read. */
function unloadedOutcome(
  declaration: Declaration,
  child: Exclude<Child, { kind: 'loaded' }>,
  progress: PolicyProgress,
): Unexamined {
  if (child.kind === 'ruled-out') return { verdict: 'not-applicable', message: child.because }
  return blockedBy(declaration, progress) ?? { verdict: 'error', reason: child.reason, errors: child.errors }
}

interface ChildTurn {
  readonly child: Extract<Child<RunnablePolicy>, { kind: 'loaded' }>
  readonly identity: Identity
  readonly place: PlaceInRun
  readonly stopped: Unexamined | undefined
}

/** Runs the child manifest of the resource. If the resource is blocked, so is everything in it. */
async function runChild(declaration: Declaration, turn: ChildTurn, progress: PolicyProgress): Promise<Part> {
  const { child, identity, place } = turn
  const { situation } = progress
  const stopped = turn.stopped ?? blockedBy(declaration, progress)
  const noopBy = situation.noopBy ?? (child.noop ? identity.id : undefined)
  // Resources that are only audited provide nothing to later ones.
  const pending = child.noop ? createPendingPaths() : situation.pending
  const context = restrictContext(progress.context, child)
  const start = performance.now()
  const path = [...place.path, identity.id]
  const below = await runParts(
    child.policy,
    { ...situation, place: { ...place, path }, stopped, pending, noopBy },
    context,
  )
  if (below.results.length === 0) return below
  const part = (own: ResourceResult): Part => ({
    ...below,
    results: [own, ...below.results],
    isChange: below.isChange && noopBy === undefined,
  })
  if (stopped !== undefined) return part(unexaminedResult(identity, stopped, context.redactor))
  const provider = declaration.provider ?? context.types.get(declaration.type)?.providers[0]?.name ?? ''
  const isNoop = noopBy !== undefined
  const own = rollUp(identity, below.results, { provider, isNoop, durationMs: millisecondsSince(start) })
  if (!isExaminedFurther(declaration, context)) return part(own)
  // The resource applies to this machine even if nothing in its manifest does.
  const judged = own.verdict === 'not-applicable' ? monitoredResult(identity, declaration, provider) : own
  const further = await examineFurther(judged, declaration, { ...progress, context })
  const isRegistered = further.result.verdict === further.judged.verdict
  // A registration failure belongs to the resource itself and is not a roll-up.
  const told = isRegistered ? further.result : { health: [], ...further.result }
  const result = context.conclude(situation.root, told)
  // Without checks, the result only rolls up those below it.
  if (result.health !== undefined) context.onResult(situation.root, result)
  return part(result)
}

/** Restrictions of an apply resource on its child manifest; nothing below can lift them. */
function restrictContext(context: RunContext, { noop, healthCheckOnly }: ChildTurn['child']): RunContext {
  return {
    ...context,
    remediator: noop ? undefined : context.remediator,
    monitorOnly: context.monitorOnly || healthCheckOnly,
  }
}

/** Inputs of control results. */
interface Known {
  readonly verdicts: ReadonlyMap<string, Verdict>
  /** Selected controls without resources. */
  readonly bare: ReadonlySet<string> | undefined
  readonly redactor: Redactor
}

/**
 * Result of a control; a manual control can at best be `not-evaluated`. A control without selected resources, itself
 * not selected, gets no result.
 */
function controlResult(control: Control, { path }: PlaceInRun, { verdicts, bare, redactor }: Known): ControlResult[] {
  const evaluated = control.resources.flatMap((id) => verdicts.get(id) ?? [])
  if (evaluated.length === 0 && bare?.has(control.id) !== true) return []
  const { id, title, severity, description, remediation, references, tags, manual, resources } = control
  return [
    {
      id,
      ...(path.length === 0 ? {} : { path }),
      ...defined({ title }),
      severity,
      ...defined({ description, remediation }),
      ...(Object.keys(references).length === 0 ? {} : { references }),
      ...(tags.length === 0 ? {} : { tags }),
      verdict: manual === true ? atBestNotEvaluated(evaluated) : worstVerdict(evaluated),
      resources: resources.map(redactor.text),
    },
  ]
}

function atBestNotEvaluated(verdicts: readonly Verdict[]): ControlVerdict {
  const found: ReadonlySet<ControlVerdict> = new Set<ControlVerdict>([...verdicts, 'not-evaluated'])
  return CONTROLS_WORST_FIRST.find((verdict) => found.has(verdict)) ?? 'not-evaluated'
}
