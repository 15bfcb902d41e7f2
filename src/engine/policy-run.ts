import { setImmediate } from 'node:timers/promises'
import type { Declaration, Policy } from '../core/policy.ts'
import type { Problem } from '../core/problem.ts'
import type { ControlResult, PolicyResult, ResourceResult } from '../core/run.ts'
import { type Verdict, worstVerdict } from '../core/verdict.ts'
import type { PreparedResource, ResourceType } from '../resources/define.ts'
import { decodeProperties } from '../resources/decode.ts'
import type { Remediator } from '../target/remediator.ts'
import type { Target } from '../target/target.ts'
import { evaluate } from './evaluate.ts'
import { createPendingPaths } from './pending-paths.ts'
import type { Redactor } from './redactor.ts'
import { examinedResult, type Identity, identifier, type Unexamined, unexaminedResult } from './result.ts'

/** What all policies of a run share. */
export interface RunContext {
  readonly target: Target
  readonly types: ReadonlyMap<string, ResourceType>
  readonly remediator?: Remediator
  readonly redactor: Redactor
  readonly showDiff: boolean
  readonly signal: AbortSignal
  /** Told about what is allowed but probably not meant. */
  readonly onWarning: (warning: Problem) => void
  /** Called before each resource. */
  readonly onResource: (id: string) => void
  /** Called after each resource. */
  readonly onResult: (result: ResourceResult) => void
}

/** How long the machine may be asked before signals and the terminal get their turn, in milliseconds. */
const LONGEST_STRETCH_MS = 50

const TROUBLED: ReadonlySet<Verdict> = new Set(['error', 'fix-failed', 'blocked'])
const FAILED: ReadonlySet<Verdict> = new Set(['error', 'fix-failed'])

/** Evaluates the selected resources of one policy in the order they are written. */
export async function runPolicy(
  policy: Policy,
  selected: ReadonlySet<string>,
  context: RunContext,
): Promise<PolicyResult> {
  const identify = identifier(policy)
  const verdicts = new Map<string, Verdict>()
  const pending = createPendingPaths()
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
    context.onResource(declaration.id)
    const identity = identify(declaration)
    const result =
      stoppedBy === undefined
        ? await evaluateDeclaration(declaration, identity, { policy, verdicts, pending, context })
        : unexaminedResult(identity, stopped(stoppedBy), context.redactor)
    results.push(result)
    verdicts.set(declaration.id, result.verdict)
    if (policy.failOnError && FAILED.has(result.verdict)) stoppedBy ??= declaration.id
    context.onResult(result)
  }
  return policyResult(policy, results, verdicts)
}

function stopped(by: string): Unexamined {
  return { verdict: 'blocked', message: `not evaluated: fail_on_error stopped the policy at ${by}`, blockedBy: [by] }
}

interface PolicyProgress {
  readonly policy: Policy
  readonly verdicts: ReadonlyMap<string, Verdict>
  readonly pending: ReturnType<typeof createPendingPaths>
  readonly context: RunContext
}

async function evaluateDeclaration(
  declaration: Declaration,
  identity: Identity,
  progress: PolicyProgress,
): Promise<ResourceResult> {
  const { context, pending, verdicts } = progress
  const { redactor, target, remediator } = context
  const start = performance.now()
  const ready = prepare(declaration, progress)
  if ('verdict' in ready) return unexaminedResult(identity, ready, redactor)
  const pendingRequirement = declaration.require.find((id) => verdicts.get(id) === 'drifted')
  const outcome = await evaluate(ready.prepared, {
    target,
    isPending: pending.has,
    ...(remediator === undefined ? {} : { remediator }),
    ...(pendingRequirement === undefined ? {} : { pendingRequirement }),
  })
  if (outcome.verdict === 'drifted' && outcome.change !== 'cannot') pending.add(ready.prepared.provides)
  const durationMs = Math.round((performance.now() - start) * 1000) / 1000
  const { type, prepared } = ready
  return examinedResult(identity, outcome, {
    type,
    provider: prepared.provider,
    sensitive: declaration.sensitive,
    redactor,
    durationMs,
  })
}

/** The gates before a look at the machine: control, templates, values, requirements, provider. */
function prepare(
  declaration: Declaration,
  { policy, verdicts, context }: PolicyProgress,
): Unexamined | { readonly type: ResourceType; readonly prepared: PreparedResource } {
  const control = policy.expander?.control(declaration) ?? { kind: 'managed' }
  if (control.kind === 'failed') return { verdict: 'error', reason: 'template', errors: [control.message] }
  if (control.kind === 'not-managed') return { verdict: 'not-applicable', message: control.because }
  const blockedBy = declaration.require.filter((id) => TROUBLED.has(verdicts.get(id) ?? 'compliant'))
  if (blockedBy.length > 0) {
    const causes = blockedBy.map((id) => `${id} (${verdicts.get(id)})`).join(', ')
    return { verdict: 'blocked', message: `requires ${causes}`, blockedBy }
  }
  const expansion = policy.expander?.expand(declaration) ?? { kind: 'expanded', properties: declaration.properties }
  if (expansion.kind === 'failed') return { verdict: 'error', reason: 'template', errors: [expansion.message] }
  expansion.warnings?.forEach(context.onWarning)
  const type = context.types.get(declaration.type)
  if (type === undefined) throw new Error(`policy ${policy.id} was read with other resource types than it is run with`)
  const decoded = decodeProperties(type, expansion.properties)
  if (!decoded.ok) {
    const errors = decoded.violations.map(({ property, message }) =>
      property === undefined ? message : `${property}: ${message}`,
    )
    return { verdict: 'error', reason: 'invalid', errors }
  }
  const provider = chooseProvider(type, declaration.provider, context.target.system.platform)
  if (typeof provider !== 'string') return provider
  noteSecrets(type, decoded.values, context.redactor)
  const resourceContext = {
    workingDirectory: policy.workingDirectory,
    signal: context.signal,
    showDiff: context.showDiff && !declaration.sensitive,
  }
  return { type, prepared: type.prepare(decoded.values, provider, resourceContext) }
}

/** Values of properties that are secrets by definition must not surface in any sentence either. */
function noteSecrets({ properties }: ResourceType, values: Record<string, unknown>, redactor: Redactor): void {
  for (const [name, spec] of Object.entries(properties)) {
    if (spec.sensitive !== true) continue
    const value = values[name]
    const texts = typeof value === 'object' && value !== null ? Object.values(value) : [value]
    for (const text of texts) if (typeof text === 'string') redactor.addSecret(text)
  }
}

function chooseProvider(type: ResourceType, wanted: string | undefined, platform: string): string | Unexamined {
  const usable = type.providers.filter(({ platforms }) => platforms?.includes(platform) ?? true)
  const provider = usable.find(({ name }) => wanted === undefined || name === wanted)
  if (provider !== undefined) return provider.name
  const subject = wanted === undefined ? `no provider of type ${type.type} works` : `provider ${wanted} does not work`
  return { verdict: 'error', reason: 'no-provider', errors: [`${subject} on ${platform}`] }
}

function policyResult(
  policy: Policy,
  resources: readonly ResourceResult[],
  verdicts: ReadonlyMap<string, Verdict>,
): PolicyResult {
  const { id, title, version, source, sha256 } = policy
  return {
    id,
    ...(title === undefined ? {} : { title }),
    ...(version === undefined ? {} : { version }),
    source,
    sha256,
    resources,
    controls: policy.controls.flatMap((control) => controlResult(control, verdicts)),
  }
}

/** A control none of whose resources was selected says nothing about the machine and is left out. */
function controlResult(control: Policy['controls'][number], verdicts: ReadonlyMap<string, Verdict>): ControlResult[] {
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
      resources,
    },
  ]
}
