import { defined } from '../model/defined.ts'
import { type ApplyOutcome, type Decision, FIRST_LOOK, type Hazards, type Occasion } from '../model/decision.ts'
import type { ExportSpecs } from '../model/exported.ts'
import { type NotApplicable, type Observation, unknown } from '../model/observation.ts'
import type { PropertiesOf, PropertySpec, PropertySpecs, Rule } from '../model/property.ts'
import { isSecretSpec } from '../model/secret-spec.ts'
import type { Remediator } from '../host/remediator.ts'
import { addBrand } from './brand.ts'
import { checkDefinition, checkShapes, definitionError, type Maker, undeclaredName } from './check-definition.ts'
import { checkExports } from './check-exports.ts'
import type {
  ChildDefinition,
  Examination,
  Provider,
  ResourceDefinition,
  ResourceType,
  TypeCapture,
  TypeDefinition,
  Ways,
} from './definition.ts'
import { applyWithin, limitOf, observeWithin } from './time-limit.ts'

export type {
  Awaitable,
  ChildDefinition,
  Examination,
  HintContext,
  PreparedResource,
  Provider,
  ResourceContext,
  ResourceDefinition,
  ResourceExample,
  ResourceType,
  TemplateView,
  TypeCapture,
  Use,
} from './definition.ts'

/** Keeps the literal types of property definitions, so that the types of their values can be inferred. */
export function defineProperties<const Specs extends PropertySpecs>(specs: Specs & NothingElse<Specs>): Specs {
  return specs
}

/** Rejects members that the kind does not have: a misspelt constraint would have no effect. */
type NothingElse<Specs extends PropertySpecs> = {
  readonly [Name in keyof Specs]: Readonly<
    Record<Exclude<keyof Specs[Name], keyof Extract<PropertySpec, { kind: Specs[Name]['kind'] }>>, never>
  >
}

/** Keeps the literal types of exported values. */
export function defineExports<const Specs extends ExportSpecs>(specs: Specs): Specs {
  return specs
}

/**
 * Makes a resource type. Throws an error that names every mistake in the definition, such as a property with a reserved
 * name or a default that its own definition rejects.
 */
export function defineResource<
  const Specs extends PropertySpecs,
  State,
  Context,
  Action,
  const Exports extends ExportSpecs,
>(definition: ResourceDefinition<Specs, State, Context, Action, Exports>): ResourceType {
  const { decide, hazards, provides, announce, hint, timeoutMs, exports = {}, exportsOf, exportsAfter } = definition
  const described = describeType(definition, defineResource)
  const providers = providersOf(definition.type, definition)
  const limit = limitOf(definition.type, timeoutMs)
  checkDefinition({ ...described, providers, ...defined({ timeoutMs }) }, defineResource)
  return {
    ...described,
    exports,
    subscribes: definition.subscribes ?? false,
    providers,
    hasHazards: hazards !== undefined,
    ...defined({ announce, hint, capture: captureOf(definition, providers) }),
    prepare(values, providerName, context) {
      const desired = values as PropertiesOf<Specs>
      const provider = providers.find(({ name }) => name === providerName)
      if (provider === undefined) throw new Error(`type ${definition.type} has no provider ${providerName}`)
      const judge = (observed: Observation<State, Context> | NotApplicable, occasion: Occasion): Examination => {
        if (observed.kind === 'unknown' || observed.kind === 'not-applicable') return observed
        const decision = withHazards(decide(desired, observed, occasion), (action) => hazards?.(desired, action))
        const undeclared = undeclaredName(described, decision)
        if (undeclared !== undefined) return unknown('internal', undeclared)
        const apply = carryOut(decision)
        if (exportsOf === undefined) return { kind: 'decided', decision, apply }
        return {
          kind: 'decided',
          decision,
          // Computed on demand, since it is rarely needed. Not a getter: each one would give its object its own hidden
          // class.
          readExports: () => checkExports(exports, exportsOf(desired, observed)),
          foreseeExports: () => {
            const { plan } = decision
            const after = plan.kind === 'act' ? exportsAfter?.(desired, observed, plan.action) : undefined
            return checkExports(exports, after ?? {})
          },
          apply,
        }
      }
      const carryOut =
        ({ plan }: Decision<Action>) =>
        async (remediator: Remediator): Promise<ApplyOutcome> =>
          plan.kind === 'act'
            ? applyWithin(limit, context, (limited) => provider.apply(remediator, desired, plan.action, limited))
            : { kind: 'done' }
      return {
        provider: provider.name,
        provides: provides?.(desired) ?? [],
        examine(target, occasion) {
          const seen = observeWithin(limit, context, (limited) => provider.observe(target, desired, limited, occasion))
          return seen instanceof Promise ? seen.then((late) => judge(late, occasion)) : judge(seen, occasion)
        },
      }
    },
  }
}

/** Returns the decision itself if nothing is planned, which is the common case, to avoid a copy. */
function withHazards<Action>(
  decision: Decision<Action>,
  hazardsOf: (action: Action) => { readonly [Name in keyof Hazards]?: Hazards[Name] | undefined } | undefined,
): Decision<Action> {
  const { plan } = decision
  if (plan.kind !== 'act') return decision
  const { risk, irreversible } = hazardsOf(plan.action) ?? {}
  if (risk === undefined && irreversible === undefined) return decision
  return { ...decision, plan: { ...plan, hazards: defined({ risk, irreversible }) } }
}

/** Capture: observes as an audit does, then describes the state instead of deciding. */
function captureOf<Specs extends PropertySpecs, State, Context, Action, Exports extends ExportSpecs>(
  { type, capture, timeoutMs }: ResourceDefinition<Specs, State, Context, Action, Exports>,
  providers: readonly Provider<PropertiesOf<Specs>, State, Context, Action>[],
): TypeCapture | undefined {
  if (capture === undefined) return undefined
  const { look, describe, members } = capture
  const limit = limitOf(type, timeoutMs)
  return {
    look,
    ...defined({ members }),
    async take(values, providerName, context) {
      const desired = values as PropertiesOf<Specs>
      const provider = providers.find(({ name }) => name === providerName)
      if (provider === undefined) throw new Error(`no provider ${providerName}`)
      const place = { workingDirectory: '/', signal: context.signal, showDiff: false }
      const seen = await observeWithin(limit, place, (limited) =>
        provider.observe(context.target, desired, limited, FIRST_LOOK),
      )
      if (seen.kind === 'not-applicable') return unknown('not-observable', seen.detail)
      return seen.kind === 'unknown' ? seen : describe(seen, context)
    },
  }
}

function providersOf<Specs extends PropertySpecs, State, Context, Action>(
  type: string,
  { providers, observe, apply, platforms }: Ways<Specs, State, Context, Action>,
): readonly Provider<PropertiesOf<Specs>, State, Context, Action>[] {
  // Plugins may be plain JavaScript, so the compiler does not guarantee this.
  if (providers !== undefined && observe === undefined && apply === undefined) return providers
  if (providers !== undefined || observe === undefined || apply === undefined) {
    throw definitionError(type, 'it must have either providers or observe and apply', defineResource)
  }
  return [{ name: 'default', observe, apply, ...defined({ platforms }) }]
}

/**
 * Makes a resource type whose resources represent child manifests. The engine runs the children that were loaded with
 * the policy; a resource without its child is unknown.
 */
export function defineChild<const Specs extends PropertySpecs>(definition: ChildDefinition<Specs>): ResourceType {
  const { provider } = definition
  const described = describeType(definition, defineChild)
  const providers = [{ name: provider }]
  checkDefinition({ ...described, providers }, defineChild)
  const notLoaded = unknown('internal', 'the policy was loaded without its child manifests')
  return {
    ...described,
    exports: {},
    subscribes: false,
    providers,
    hasHazards: false,
    prepare: () => ({ provider, provides: [], examine: () => notLoaded }),
  }
}

/** The `name` of types that do not define one. */
const UNNAMED: PropertySpec = {
  kind: 'text',
  required: true,
  nonEmpty: true,
  phase: 'early',
  summary: 'Name of the resource.',
}

function describeType<Specs extends PropertySpecs>(
  definition: TypeDefinition<Specs>,
  maker: Maker,
): Omit<
  ResourceType,
  'exports' | 'subscribes' | 'providers' | 'hasHazards' | 'announce' | 'hint' | 'capture' | 'prepare'
> {
  checkShapes(definition, maker)
  const { type, summary, rules = [], exclusive = [], drifts, neverSecret = [], secretWhen, uses, examples } = definition
  const own: PropertySpecs = { name: UNNAMED, ...definition.properties }
  // An empty name is never valid.
  const properties = { ...own, ...(own['name']?.kind === 'text' ? { name: { ...own['name'], nonEmpty: true } } : {}) }
  return addBrand(
    {
      type,
      summary,
      properties,
      exclusive,
      // The specs of this definition have checked the values, so rules may receive them typed.
      rules: rules as unknown as readonly Rule<Record<string, unknown>>[],
      drifts,
      neverSecret: [...new Set([...neverSecret, ...drifts.filter((name) => name === 'ensure')])],
      ...defined({ secretWhen, uses }),
      secretProperties: Object.entries(properties).flatMap(([name, spec]) => (isSecretSpec(spec) ? [name] : [])),
      examples: examples.map(({ title, yaml }) => ({ title, yaml: withoutMargin(yaml) })),
    },
    'resource-type',
  )
}

/** Text without its common indentation and surrounding blank lines. */
function withoutMargin(text: string): string {
  const lines = text.replace(/^(?:[ \t]*\n)+|\s+$/g, '').split('\n')
  const margins = lines.filter((line) => line.trim() !== '').map((line) => line.search(/[^ ]/))
  const margin = Math.min(...margins)
  return lines.map((line) => line.slice(margin)).join('\n')
}
