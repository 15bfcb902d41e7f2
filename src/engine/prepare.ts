import { defined } from '../model/defined.ts'
import type { Declaration } from '../model/policy.ts'
import type { Verdict } from '../model/verdict.ts'
import type { Examination, PreparedResource, ResourceContext, ResourceType } from '../resource-type/define.ts'
import type { Target } from '../host/target.ts'
import type { ExportStore } from './exported.ts'
import { refusedUrl } from '../policy/runnable/foreign-values.ts'
import { controlOutcome, type RunnablePolicy } from '../policy/runnable/policy.ts'
import { resolveValues, type SettledValues, type Unsettled, unsettledBy } from '../policy/runnable/settle.ts'
import type { Redactor } from '../policy/secrets/redactor.ts'
import type { Permitted } from './permissions.ts'
import type { Unexamined } from './result.ts'
import { type Secrecy, secrecyOf } from './secrecy.ts'
import { noteTexts } from '../policy/secrets/texts.ts'
import { unknown } from '../model/observation.ts'
import type { Remediator } from '../host/remediator.ts'
import { isFromOutside } from '../resource-type/time-limit.ts'

/** Context shared by the resources of all policies. */
export interface PrepareContext {
  readonly target: Target
  readonly types: ReadonlyMap<string, ResourceType>
  readonly redactor: Redactor
  readonly showDiff: boolean
  readonly permitted: Permitted
  /** True if addresses may contain values from files and the environment. */
  readonly urlValuesAllowed: boolean
  readonly signal: AbortSignal
  /** Makes archives available to resources; without it, nothing can be fetched. */
  readonly fetchDirectory?: ResourceContext['fetchDirectory']
}

/** Context of one policy's resources. */
export interface Preparing {
  readonly policy: RunnablePolicy
  readonly context: PrepareContext
  /** Verdicts of the earlier resources, by id. */
  readonly verdicts: ReadonlyMap<string, Verdict>
  readonly resources: ResourceContexts
  /** Exports of the earlier resources. */
  readonly exported: ExportStore
}

/** Contexts of resources; the sensitive one shows no differences. */
export interface ResourceContexts {
  readonly plain: ResourceContext
  readonly sensitive: ResourceContext
}

/** A resource ready for examination. */
export interface Prepared {
  readonly type: ResourceType
  readonly secrecy: Secrecy
  readonly prepared: PreparedResource
  readonly values: Readonly<Record<string, unknown>>
}

const TROUBLED: ReadonlySet<Verdict> = new Set(['error', 'fix-failed', 'blocked'])

/** Creates the two contexts of a policy's resources. */
export function resourceContexts(policy: RunnablePolicy, context: PrepareContext): ResourceContexts {
  const { signal, showDiff, permitted, fetchDirectory } = context
  const { workingDirectory, templates } = policy
  const plain = { workingDirectory, signal, showDiff, ...permitted, ...defined({ templates, fetchDirectory }) }
  return { plain, sensitive: { ...plain, showDiff: false } }
}

/** Reason not to evaluate a resource, independent of its values: its condition or its requirements. */
export function gate(declaration: Declaration, preparing: Preparing): Unexamined | undefined {
  const { policy, exported } = preparing
  const control = controlOutcome(policy, declaration, exported.of)
  if (control.kind === 'failed') return leftOut(unsettledBy(control), preparing)
  if (control.kind === 'not-managed') return { verdict: 'not-applicable', message: control.because }
  return blockedBy(declaration, preparing)
}

/** If checks of a running system are excluded, a resource that needs a fact of one is not applicable. */
function leftOut(unsettled: Unsettled, { context: { target } }: Preparing): Unexamined {
  const isLeftOut = target.offlineAs !== undefined && unsettled.verdict === 'error' && unsettled.needs !== undefined
  return isLeftOut ? { verdict: 'not-applicable', message: unsettled.errors.join('; ') } : unsettled
}

/** All steps before the examination: condition, requirements, templates, values, provider. */
export function prepare(declaration: Declaration, preparing: Preparing): Unexamined | Prepared {
  const { policy, context, resources } = preparing
  const { of: exported } = preparing.exported
  const closed = gate(declaration, preparing)
  if (closed !== undefined) return closed
  const type = context.types.get(declaration.type)
  if (type === undefined)
    throw new Error(`policy ${policy.id} was loaded with different resource types than it is run with`)
  const settled = resolveValues(declaration, type, { policy, exported })
  if (settled.verdict !== undefined) return leftOut(settled, preparing)
  noteSecrets(type, settled.values, context.redactor)
  const refusal =
    refusedSource(policy, settled) ?? (context.urlValuesAllowed ? undefined : refusedUrl(declaration, settled))
  if (refusal !== undefined) return { verdict: 'error', reason: 'invalid', errors: [refusal] }
  const provider = chooseProvider(type, declaration.provider, context.target)
  if (typeof provider !== 'string') return provider
  policy.reads?.takeDerived().forEach(context.redactor.addSecret)
  const secrecy = secrecyOf(declaration, type, { ...settled, redactor: context.redactor })
  const resourceContext = secrecy.sensitive ? resources.sensitive : resources.plain
  const prepared = withCompletion(policy, type.prepare(settled.values, provider, resourceContext))
  return { type, secrecy, prepared: restrictPluginResource(type, prepared, context), values: settled.values }
}

/** Examining renders templates in other files, which may query a server. */
function withCompletion({ complete, templates }: RunnablePolicy, prepared: PreparedResource): PreparedResource {
  if (complete === undefined || templates === undefined) return prepared
  const { provider, provides, examine } = prepared
  return { provider, provides, examine: (target, occasion) => complete(() => examine(target, occasion)) }
}

function refusedSource({ confine }: RunnablePolicy, { values: { source } }: SettledValues): string | undefined {
  const refusal = typeof source === 'string' ? confine?.(source) : undefined
  return refusal === undefined ? undefined : `source: ${refusal}`
}

/** The resource is blocked if a requirement failed or is unknown. */
export function blockedBy({ require }: Declaration, { verdicts }: Pick<Preparing, 'verdicts'>): Unexamined | undefined {
  if (require.length === 0) return undefined
  const troubled = require.filter((id) => TROUBLED.has(verdicts.get(id) ?? 'compliant'))
  if (troubled.length === 0) return undefined
  const causes = troubled.map((id) => `${id} (${verdicts.get(id)})`).join(', ')
  return { verdict: 'blocked', message: `requires ${causes}`, blockedBy: troubled }
}

/** Whether a provider is chosen and, if not, why. */
export interface ProviderChoice {
  readonly name: string
  readonly outcome:
    | 'chosen'
    /** The resource names another provider. */
    | 'not-named'
    /** Not available on this platform. */
    | 'platform'
    /** The machine lacks a dependency. */
    | 'unusable'
    /** An earlier provider was chosen. */
    | 'later'
  /** Dependencies of the provider, if they were checked. */
  readonly needs?: string
}

/** Judges the providers of a type in order: the first usable one, or the named one, is chosen. */
export function judgeProviders(
  { providers }: ResourceType,
  wanted: string | undefined,
  target: Target,
): readonly ProviderChoice[] {
  let isChosen = false
  return providers.map(({ name, platforms, usable, needs }): ProviderChoice => {
    if (wanted !== undefined && name !== wanted) return { name, outcome: 'not-named' }
    if (platforms?.includes(target.system.platform) === false) return { name, outcome: 'platform' }
    if (isChosen) return { name, outcome: 'later' }
    isChosen = usable?.(target) ?? true
    return isChosen ? { name, outcome: 'chosen' } : { name, outcome: 'unusable', ...defined({ needs }) }
  })
}

type NoProvider = Extract<Unexamined, { verdict: 'error' }>

/** Chooses the provider of a resource, or explains why no provider works. */
export function chooseProvider(type: ResourceType, wanted: string | undefined, target: Target): string | NoProvider {
  const choices = judgeProviders(type, wanted, target)
  const chosen = choices.find(({ outcome }) => outcome === 'chosen')
  if (chosen !== undefined) return chosen.name
  const subject = wanted === undefined ? `no usable provider of type ${type.type}` : `provider ${wanted} cannot be used`
  const unusable = choices.filter(({ outcome }) => outcome === 'unusable')
  if (unusable.length === 0) return noProvider(`${subject} on ${target.system.platform}`)
  const needs = unusable.flatMap(({ name, needs: what }) => (what === undefined ? [] : [`${name} needs ${what}`]))
  return noProvider([`${subject} on this machine`, ...needs].join('; '))
}

function noProvider(message: string): NoProvider {
  return { verdict: 'error', reason: 'no-provider', errors: [message] }
}

/** Registers values of secret properties, so that no message reveals them. */
export function noteSecrets(
  { secretProperties }: ResourceType,
  values: Readonly<Record<string, unknown>>,
  redactor: Redactor,
): void {
  for (const name of secretProperties) noteTexts(values[name], redactor)
}

/**
 * Restricts a plugin resource to the `uses` of its type and the permissions of the scan. Only the author of a type
 * knows which policy values it passes to programs or sends elsewhere.
 */
function restrictPluginResource(
  { type, uses }: Pick<ResourceType, 'type' | 'uses'>,
  prepared: PreparedResource,
  { permitted, target }: { readonly permitted: Permitted; readonly target: Pick<Target, 'kind'> },
): PreparedResource {
  if (!isFromOutside(type)) return prepared
  if (permitted.contentsHidden && uses?.includes('network') === true) {
    const detail = `type ${type} uses the network, which untrusted policies may not use (--untrusted)`
    return { ...prepared, examine: () => unknown('not-observable', detail) }
  }
  if (uses !== undefined && !uses.includes('commands')) {
    return withoutPrograms(prepared, `type ${type} runs a program without "commands" in its uses`)
  }
  const isForbidden = permitted.commandsForbidden && target.kind === 'local'
  return isForbidden
    ? withoutPrograms(prepared, 'types of plugins run no program (--no-commands or --untrusted)')
    : prepared
}

function withoutPrograms(prepared: PreparedResource, message: string): PreparedResource {
  const withoutRun = <Machine extends Target | Remediator>(machine: Machine): Machine => ({
    ...machine,
    run: () => Promise.resolve({ kind: 'not-started', message }),
  })
  const changing = (examination: Examination): Examination =>
    examination.kind === 'decided'
      ? { ...examination, apply: (remediator) => examination.apply(withoutRun(remediator)) }
      : examination
  return {
    ...prepared,
    examine(target, occasion) {
      const examination = prepared.examine(withoutRun(target), occasion)
      return examination instanceof Promise ? examination.then(changing) : changing(examination)
    },
  }
}
