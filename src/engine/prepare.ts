import { defined } from '../model/defined.ts'
import type { Declaration } from '../model/policy.ts'
import type { Verdict } from '../model/verdict.ts'
import type { PreparedResource, ResourceContext, ResourceType } from '../resource-type/define.ts'
import type { Target } from '../host/target.ts'
import type { ExportStore } from './exported.ts'
import { refusedUrl } from '../policy/runnable/foreign-values.ts'
import { controlOutcome, type RunnablePolicy } from '../policy/runnable/policy.ts'
import { settle, type SettledValues, type Unsettled, unsettledBy } from '../policy/runnable/settle.ts'
import type { Redactor } from '../policy/secrets/redactor.ts'
import type { Permitted } from './permissions.ts'
import type { Unexamined } from './result.ts'
import { type Secrecy, secrecyOf } from './secrecy.ts'
import { noteTexts } from '../policy/secrets/texts.ts'
import { held } from './held.ts'

/** What preparing the resources of all policies shares. */
export interface PrepareContext {
  readonly target: Target
  readonly types: ReadonlyMap<string, ResourceType>
  readonly redactor: Redactor
  readonly showDiff: boolean
  readonly permitted: Permitted
  /** Whether addresses may hold values from files and the environment. */
  readonly urlValuesAllowed: boolean
  readonly signal: AbortSignal
  /** Makes archives available to resources; nothing can be fetched where it is absent. */
  readonly fetchDirectory?: ResourceContext['fetchDirectory']
}

/** What preparing one policy's resources needs. */
export interface Preparing {
  readonly policy: RunnablePolicy
  readonly context: PrepareContext
  /** The verdicts of the earlier resources, by id. */
  readonly verdicts: ReadonlyMap<string, Verdict>
  readonly resources: ResourceContexts
  /** What the earlier resources export. */
  readonly exported: ExportStore
}

/** What resources are told of the run; a sensitive one must not show differences. */
export interface ResourceContexts {
  readonly plain: ResourceContext
  readonly sensitive: ResourceContext
}

/** A resource ready to be looked at. */
export interface Prepared {
  readonly type: ResourceType
  readonly secrecy: Secrecy
  readonly prepared: PreparedResource
  readonly values: Readonly<Record<string, unknown>>
}

const TROUBLED: ReadonlySet<Verdict> = new Set(['error', 'fix-failed', 'blocked'])

/** The two contexts of a policy's resources. */
export function resourceContexts(policy: RunnablePolicy, context: PrepareContext): ResourceContexts {
  const { signal, showDiff, permitted, fetchDirectory } = context
  const { workingDirectory, templates } = policy
  const plain = { workingDirectory, signal, showDiff, ...permitted, ...defined({ templates, fetchDirectory }) }
  return { plain, sensitive: { ...plain, showDiff: false } }
}

/** What keeps a resource from being evaluated with any values: its control, or its requirements. */
export function gate(declaration: Declaration, preparing: Preparing): Unexamined | undefined {
  const { policy, exported } = preparing
  const control = controlOutcome(policy, declaration, exported.of)
  if (control.kind === 'failed') return leftOut(unsettledBy(control), preparing)
  if (control.kind === 'not-managed') return { verdict: 'not-applicable', message: control.because }
  return blockedBy(declaration, preparing)
}

/** What asks for a fact that only a running system has is left out with all else that only it has, where that is asked for. */
function leftOut(unsettled: Unsettled, { context: { target } }: Preparing): Unexamined {
  const isLeftOut = target.offlineAs !== undefined && unsettled.verdict === 'error' && unsettled.needs !== undefined
  return isLeftOut ? { verdict: 'not-applicable', message: unsettled.errors.join('; ') } : unsettled
}

/** All that comes before a look at the machine: control, requirements, templates, values, provider. */
export function prepare(declaration: Declaration, preparing: Preparing): Unexamined | Prepared {
  const { policy, context, resources } = preparing
  const { of: exported } = preparing.exported
  const closed = gate(declaration, preparing)
  if (closed !== undefined) return closed
  const type = context.types.get(declaration.type)
  if (type === undefined) throw new Error(`policy ${policy.id} was read with other resource types than it is run with`)
  const settled = settle(declaration, type, { policy, exported })
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
  const prepared = completing(policy, type.prepare(settled.values, provider, resourceContext))
  return { type, secrecy, prepared: held(type, prepared, context), values: settled.values }
}

/** Templates in other files are rendered while the machine is looked at, and may ask a server then. */
function completing({ complete, templates }: RunnablePolicy, prepared: PreparedResource): PreparedResource {
  if (complete === undefined || templates === undefined) return prepared
  const { provider, provides, examine } = prepared
  return { provider, provides, examine: (target, occasion) => complete(() => examine(target, occasion)) }
}

function refusedSource({ confine }: RunnablePolicy, { values: { source } }: SettledValues): string | undefined {
  const refusal = typeof source === 'string' ? confine?.(source) : undefined
  return refusal === undefined ? undefined : `source: ${refusal}`
}

/** Whether a requirement of the resource is in trouble, and which. */
export function blockedBy({ require }: Declaration, { verdicts }: Pick<Preparing, 'verdicts'>): Unexamined | undefined {
  if (require.length === 0) return undefined
  const troubled = require.filter((id) => TROUBLED.has(verdicts.get(id) ?? 'compliant'))
  if (troubled.length === 0) return undefined
  const causes = troubled.map((id) => `${id} (${verdicts.get(id)})`).join(', ')
  return { verdict: 'blocked', message: `requires ${causes}`, blockedBy: troubled }
}

/** Whether a provider is the one a resource gets, and if not, why. */
export interface ProviderChoice {
  readonly name: string
  readonly outcome:
    | 'chosen'
    /** The resource names another one. */
    | 'not-named'
    /** It does not work on this platform. */
    | 'platform'
    /** The machine lacks what it needs. */
    | 'unusable'
    /** One before it was chosen. */
    | 'later'
  /** What the machine needs for it, where it was asked. */
  readonly needs?: string
}

/** Judges the providers of a type in their order: the first that works is chosen, or the one that is named. */
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

/** The provider a resource gets, or why it is missing. */
export function chooseProvider(type: ResourceType, wanted: string | undefined, target: Target): string | NoProvider {
  const choices = judgeProviders(type, wanted, target)
  const chosen = choices.find(({ outcome }) => outcome === 'chosen')
  if (chosen !== undefined) return chosen.name
  const subject = wanted === undefined ? `no provider of type ${type.type} works` : `provider ${wanted} does not work`
  const unusable = choices.filter(({ outcome }) => outcome === 'unusable')
  if (unusable.length === 0) return noProvider(`${subject} on ${target.system.platform}`)
  const needs = unusable.flatMap(({ name, needs: what }) => (what === undefined ? [] : [`${name} needs ${what}`]))
  return noProvider([`${subject} on this machine`, ...needs].join('; '))
}

function noProvider(message: string): NoProvider {
  return { verdict: 'error', reason: 'no-provider', errors: [message] }
}

/** Values of properties that are secrets by definition must not surface in any sentence either. */
export function noteSecrets(
  { secretProperties }: ResourceType,
  values: Readonly<Record<string, unknown>>,
  redactor: Redactor,
): void {
  for (const name of secretProperties) noteTexts(values[name], redactor)
}
