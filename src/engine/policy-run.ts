import { setImmediate } from 'node:timers/promises'
import type { Declaration, Policy } from '../core/policy.ts'
import type { ControlResult, PolicyResult, ResourceResult } from '../core/run.ts'
import { type Verdict, worstVerdict } from '../core/verdict.ts'
import type { Remediator } from '../target/remediator.ts'
import { evaluate, type Outcome } from './evaluate.ts'
import { redactHealth, runHealthChecks } from './health.ts'
import { withHealth } from './judge-health.ts'
import { createPendingPaths, type PendingPaths } from './pending-paths.ts'
import { prepare, type PrepareContext, type Preparing, resourceContexts, type RunnablePolicy } from './prepare.ts'
import type { Redactor } from './redactor.ts'
import { examinedResult, type Identity, identifier, monitored, type Unexamined, unexaminedResult } from './result.ts'

/** What all policies of a run share. */
export interface RunContext extends PrepareContext {
  readonly remediator: Remediator | undefined
  /** Only health checks are run, nothing is looked at or changed. */
  readonly monitorOnly: boolean
  /** Whether a health check's WARNING counts as CRITICAL does. */
  readonly strictHealth: boolean
  /** Called before each resource. */
  readonly onResource: (id: string) => void
  /** Called after each resource. */
  readonly onResult: (result: ResourceResult) => void
}

/** How long the machine may be asked before signals and the terminal get their turn, in milliseconds. */
const LONGEST_STRETCH_MS = 50

const FAILED: ReadonlySet<Verdict> = new Set(['error', 'fix-failed'])

/** Evaluates the selected resources of one policy in the order they are written. */
export async function runPolicy(
  policy: RunnablePolicy,
  selected: ReadonlySet<string>,
  context: RunContext,
): Promise<PolicyResult> {
  const identify = identifier(policy, context.redactor)
  const verdicts = new Map<string, Verdict>()
  const changed = new Set<string>()
  const pending = createPendingPaths()
  const resources = resourceContexts(policy, context)
  const progress: PolicyProgress = { policy, verdicts, changed, pending, context, resources }
  const results: ResourceResult[] = []
  let stoppedBy: string | undefined
  let stretchStart = performance.now()
  for (const declaration of policy.resources) {
    if (!selected.has(declaration.id)) continue
    if (performance.now() - stretchStart > LONGEST_STRETCH_MS) {
      await setImmediate()
      stretchStart = performance.now()
    }
    if (context.signal.aborted) break
    context.onResource(context.redactor.text(declaration.id))
    const identity = identify(declaration)
    const evaluated =
      stoppedBy === undefined
        ? evaluateDeclaration(declaration, identity, progress)
        : unexaminedResult(identity, stopped(stoppedBy), context.redactor)
    const { healthChecks } = declaration
    const looked = evaluated instanceof Promise ? await evaluated : evaluated
    const result = healthChecks === undefined ? looked : await examineHealth(looked, declaration, context)
    results.push(result)
    verdicts.set(declaration.id, result.verdict)
    if (isChange(result, context)) changed.add(declaration.id)
    if (policy.failOnError && FAILED.has(result.verdict)) stoppedBy ??= declaration.id
    context.onResult(result)
  }
  return policyResult(policy, results, { verdicts, redactor: context.redactor })
}

const UNTOUCHED: ReadonlySet<Verdict> = new Set(['not-applicable', 'blocked'])

/** Runs the health checks of a resource that concerns this machine, whatever came of it so far. */
async function examineHealth(
  result: ResourceResult,
  { healthChecks = [], sensitive }: Declaration,
  context: RunContext,
): Promise<ResourceResult> {
  if (UNTOUCHED.has(result.verdict)) return result
  const { redactor, remediator, strictHealth } = context
  const health = redactHealth(await runHealthChecks(healthChecks, context), redactor, sensitive)
  return withHealth(result, health, { isFix: remediator !== undefined, isStrict: strictHealth })
}

/** Whether those that subscribe to a resource react: to what a fix has changed, and to what it would change. */
function isChange({ verdict, change, actions }: ResourceResult, { remediator }: RunContext): boolean {
  return verdict === 'fixed' || (remediator === undefined && actions.length > 0 && change !== 'cannot')
}

function stopped(by: string): Unexamined {
  return { verdict: 'blocked', message: `not evaluated: fail_on_error stopped the policy at ${by}`, blockedBy: [by] }
}

interface PolicyProgress extends Preparing {
  readonly context: RunContext
  readonly pending: PendingPaths
  /** The ids of the earlier resources that were changed, or in an audit would be. */
  readonly changed: ReadonlySet<string>
}

/** Answers at once where the machine does; thousands of promises for small files would cost more than reading them. */
function evaluateDeclaration(
  declaration: Declaration,
  identity: Identity,
  progress: PolicyProgress,
): ResourceResult | Promise<ResourceResult> {
  const { context, pending, verdicts, changed } = progress
  const { redactor, target, remediator } = context
  const start = performance.now()
  const ready = prepare(declaration, progress)
  if ('verdict' in ready) return unexaminedResult(identity, ready, redactor)
  const { type, prepared, holdsSecret } = ready
  if (context.monitorOnly) return monitored(identity, declaration, prepared.provider)
  const finish = (outcome: Outcome): ResourceResult => {
    if (outcome.verdict === 'drifted' && outcome.change !== 'cannot') pending.add(prepared.provides)
    const durationMs = Math.round((performance.now() - start) * 1000) / 1000
    const { sensitive } = declaration
    return examinedResult(identity, outcome, {
      type,
      provider: prepared.provider,
      sensitive,
      holdsSecret,
      redactor,
      durationMs,
    })
  }
  const outcome = evaluate(prepared, {
    target,
    remediator,
    isPending: pending.has,
    pendingRequirement: declaration.require.find((id) => verdicts.get(id) === 'drifted'),
    subscribed: declaration.subscribe.some((id) => changed.has(id)),
  })
  return outcome instanceof Promise ? outcome.then(finish) : finish(outcome)
}

/** What the results of controls are made of. */
interface Known {
  readonly verdicts: ReadonlyMap<string, Verdict>
  readonly redactor: Redactor
}

function policyResult(policy: Policy, resources: readonly ResourceResult[], known: Known): PolicyResult {
  const { id, title, version, source, sha256 } = policy
  return {
    id,
    ...(title === undefined ? {} : { title }),
    ...(version === undefined ? {} : { version }),
    source,
    sha256,
    resources,
    controls: policy.controls.flatMap((control) => controlResult(control, known)),
  }
}

/** A control none of whose resources was selected says nothing about the machine and is left out. */
function controlResult(control: Policy['controls'][number], { verdicts, redactor }: Known): ControlResult[] {
  const evaluated = control.resources.flatMap((id) => verdicts.get(id) ?? [])
  if (evaluated.length === 0 && control.resources.length > 0) return []
  const { id, title, severity, description, remediation, references, tags, resources } = control
  return [
    {
      id,
      ...(title === undefined ? {} : { title }),
      severity,
      ...(description === undefined ? {} : { description }),
      ...(remediation === undefined ? {} : { remediation }),
      ...(Object.keys(references).length === 0 ? {} : { references }),
      ...(tags.length === 0 ? {} : { tags }),
      verdict: worstVerdict(evaluated),
      resources: resources.map(redactor.text),
    },
  ]
}
