import type { ApplyOutcome, Decision, Occasion } from '../core/decision.ts'
import type { ExportsOf, ExportSpecs } from '../core/exported.ts'
import { type Observation, type Reading, type Unknown, unknown } from '../core/observation.ts'
import type { PropertiesOf, PropertySpecs, Rule } from '../core/property.ts'
import type { Remediator } from '../target/remediator.ts'
import type { Target } from '../target/target.ts'
import type { GoFunction, GoValue } from '../template/govalue/index.ts'
import { branded } from './brand.ts'
import { checkExports } from './check-exports.ts'

type Awaitable<T> = T | Promise<T>

/** What templates outside the policy's own text can see. */
export interface TemplateView {
  /** `facts`, `data`, `environ` and the same with a capital. */
  readonly variables: ReadonlyMap<string, GoValue>
  readonly functions: ReadonlyMap<string, GoFunction>
}

/** What every observe and apply gets beside the machine. */
export interface ResourceContext {
  /** The directory relative paths of the policy start from. */
  readonly workingDirectory: string
  /** Aborted when the run is interrupted. */
  readonly signal: AbortSignal
  /** Whether text differences may be shown: not with `--no-diff`, never for a sensitive resource. */
  readonly showDiff: boolean
  /** Set where no command that the policy names may run: guards, checks, `post` and the commands themselves. */
  readonly commandsForbidden?: boolean
  /**
   * What templates that a resource renders can see; `data` takes the place of the policy's own, in lookups too. Asked
   * for at most once for each look, because it gathers all facts. Absent where there is nothing to see.
   */
  readonly templates?: (data: ReadonlyMap<GoValue, GoValue> | undefined) => TemplateView
  /**
   * Makes the content of a URL or of an archive (an absolute path) available as a directory, which whoever runs the
   * policy removes in the end. Absent where nothing can be fetched or unpacked.
   */
  readonly fetchDirectory?: (source: string) => Promise<Reading<string>>
}

/** Where a provider works. */
interface Suitability {
  readonly name: string
  /** Platforms (Node's names) it works on; every one where it is absent. */
  readonly platforms?: readonly string[]
  /** Whether it works on this very machine; decided by files, nothing is run. */
  readonly usable?: (target: Target) => boolean
  /** What the machine needs for that, as the end of a sentence: `needs ...`. */
  readonly needs?: string
}

/** One way to observe and change a type. The first provider that supports the target is taken. */
export interface Provider<Desired, State, Context, Action> extends Suitability {
  readonly observe: (
    target: Target,
    desired: Desired,
    context: ResourceContext,
    occasion: Occasion,
  ) => Awaitable<Observation<State, Context>>
  /** Performs exactly the planned action. The engine observes again afterwards. */
  readonly apply: (
    remediator: Remediator,
    desired: Desired,
    action: Action,
    context: ResourceContext,
  ) => Promise<ApplyOutcome>
}

/** An example for the reference page, the help and the contract tests. `yaml` is the body of one list item. */
export interface ResourceExample {
  readonly title: string
  readonly yaml: string
}

/** What every resource type says of itself. */
interface TypeDefinition<Specs extends PropertySpecs> {
  readonly type: string
  readonly summary: string
  /** The properties beside the common ones; `name` and `ensure` belong to them. */
  readonly properties: Specs
  readonly rules?: readonly Rule<PropertiesOf<Specs>>[]
  /** The names a drift may carry, in the order of the type's state checks. */
  readonly drifts: readonly string[]
  /** Which of them never hold a secret, so that a sensitive resource may show them. */
  readonly neverSecret?: readonly string[]
  readonly examples: readonly ResourceExample[]
}

/** Everything that makes a resource type. */
export interface ResourceDefinition<
  Specs extends PropertySpecs,
  State,
  Context,
  Action,
  Exports extends ExportSpecs = ExportSpecs,
> extends TypeDefinition<Specs> {
  /** The values that later resources can read of its resources. */
  readonly exports?: Exports
  /** What is allowed but probably not meant in a resource whose properties, as they are written, are these. */
  readonly hint?: (given: Readonly<Record<string, unknown>>) => string | undefined
  /** Whether its resources react to changes of those they name under `subscribe`. */
  readonly subscribes?: boolean
  readonly providers: readonly [
    Provider<PropertiesOf<Specs>, State, Context, Action>,
    ...Provider<PropertiesOf<Specs>, State, Context, Action>[],
  ]
  /** Pure and synchronous: compares what is wanted with what was seen. Unknown never reaches it. */
  readonly decide: (
    desired: PropertiesOf<Specs>,
    observed: Exclude<Observation<State, Context>, Unknown>,
    occasion: Occasion,
  ) => Decision<Action>
  /**
   * Pure and synchronous: the exported values that this look has found or filled in; undefined for one that there is not
   * now. Only asked for where a policy reads one, and must need no further look.
   */
  readonly exportsOf?: (
    desired: PropertiesOf<Specs>,
    observed: Exclude<Observation<State, Context>, Unknown>,
  ) => ExportsOf<Exports>
  /** Paths that exist once the resource is in its desired state; lets a dependent fix be planned. */
  readonly provides?: (desired: PropertiesOf<Specs>) => readonly string[]
  /**
   * Told the names of all resources of the type before the first of a run is looked at, so that what reads the machine
   * in bulk can ask for all of them at once.
   */
  readonly announce?: (target: Target, names: readonly string[]) => void
}

/** A type whose resources stand for child manifests: the engine runs what is in them and rolls the results up. */
export interface ChildDefinition<Specs extends PropertySpecs> extends TypeDefinition<Specs> {
  /** What reports name as the provider. */
  readonly provider: string
}

/** What an examination found: a decision with the means to carry it out, or why nothing could be decided. */
export type Examination =
  | {
      readonly kind: 'decided'
      readonly decision: Decision<unknown>
      /**
       * The exported values of this look, computed when they are asked for. Throws an `Error` where they are not what the
       * type declares. Absent where the type has none.
       */
      readonly exports?: Readonly<Record<string, unknown>>
      readonly apply: (remediator: Remediator) => Promise<ApplyOutcome>
    }
  | Unknown

/** A resource with all its values settled, ready to be looked at. */
export interface PreparedResource {
  readonly provider: string
  readonly provides: readonly string[]
  /** Observes the machine and decides. Never throws for anything the machine can do. */
  readonly examine: (target: Target, occasion: Occasion) => Awaitable<Examination>
}

/** A resource type with its private types hidden, as the engine and the policy reader see it. */
export interface ResourceType {
  readonly type: string
  readonly summary: string
  readonly properties: PropertySpecs
  /** The values that later resources can read; none where empty. */
  readonly exports: ExportSpecs
  readonly rules: readonly Rule<Record<string, unknown>>[]
  readonly subscribes: boolean
  /** What is allowed but probably not meant, as a sentence, in a resource with these properties as they are written. */
  readonly hint?: (given: Readonly<Record<string, unknown>>) => string | undefined
  readonly drifts: readonly string[]
  readonly neverSecret: readonly string[]
  /** The names of the properties whose values are secrets. */
  readonly secretProperties: readonly string[]
  readonly examples: readonly ResourceExample[]
  readonly providers: readonly Suitability[]
  /** Told the names of all resources of the type before the first of a run is looked at. */
  readonly announce?: (target: Target, names: readonly string[]) => void
  /** Joins settled property values, which `decodeProperties` has checked, with the provider of that name. */
  readonly prepare: (
    values: Readonly<Record<string, unknown>>,
    provider: string,
    context: ResourceContext,
  ) => PreparedResource
}

/** Keeps the literal types of a set of property definitions, so that the type of their values can be inferred. */
export function defineProperties<const Specs extends PropertySpecs>(specs: Specs): Specs {
  return specs
}

/** The same for a set of exported values. */
export function defineExports<const Specs extends ExportSpecs>(specs: Specs): Specs {
  return specs
}

/** Makes a resource type of its parts. */
export function defineResource<
  const Specs extends PropertySpecs,
  State,
  Context,
  Action,
  const Exports extends ExportSpecs,
>(definition: ResourceDefinition<Specs, State, Context, Action, Exports>): ResourceType {
  const { providers, decide, provides, announce, hint, exports = {}, exportsOf } = definition
  return {
    ...describeType(definition),
    exports,
    subscribes: definition.subscribes ?? false,
    providers,
    ...(announce === undefined ? {} : { announce }),
    ...(hint === undefined ? {} : { hint }),
    prepare(values, providerName, context) {
      const desired = values as PropertiesOf<Specs>
      const provider = providers.find(({ name }) => name === providerName)
      if (provider === undefined) throw new Error(`type ${definition.type} has no provider ${providerName}`)
      const judge = (observed: Observation<State, Context>, occasion: Occasion): Examination => {
        if (observed.kind === 'unknown') return observed
        const decision = decide(desired, observed, occasion)
        const apply = (remediator: Remediator): Promise<ApplyOutcome> => carryOut(remediator, decision)
        if (exportsOf === undefined) return { kind: 'decided', decision, apply }
        return {
          kind: 'decided',
          decision,
          // Most looks are never asked for them.
          get exports() {
            return checkExports(exports, exportsOf(desired, observed))
          },
          apply,
        }
      }
      const carryOut = async (remediator: Remediator, { plan }: Decision<Action>): Promise<ApplyOutcome> =>
        plan.kind === 'act' ? provider.apply(remediator, desired, plan.action, context) : { kind: 'done' }
      return {
        provider: provider.name,
        provides: provides?.(desired) ?? [],
        examine(target, occasion) {
          const observed = provider.observe(target, desired, context, occasion)
          return observed instanceof Promise
            ? observed.then((seen) => judge(seen, occasion))
            : judge(observed, occasion)
        },
      }
    },
  }
}

/**
 * Makes a resource type whose resources stand for child manifests. The engine runs those that were loaded with the
 * policy, so a resource is only looked at itself where none was, and then nothing can be said about it.
 */
export function defineChild<const Specs extends PropertySpecs>(definition: ChildDefinition<Specs>): ResourceType {
  const { provider } = definition
  const notLoaded = unknown('internal', 'the policy was read without its child manifests')
  return {
    ...describeType(definition),
    exports: {},
    subscribes: false,
    providers: [{ name: provider }],
    prepare: () => ({ provider, provides: [], examine: () => notLoaded }),
  }
}

function describeType<Specs extends PropertySpecs>(
  definition: TypeDefinition<Specs>,
): Omit<ResourceType, 'exports' | 'subscribes' | 'providers' | 'announce' | 'hint' | 'prepare'> {
  const { type, summary, properties, rules = [], drifts, neverSecret = [], examples } = definition
  return branded({
    type,
    summary,
    properties,
    // The specs of this very definition have checked the values, so rules may see them typed.
    rules: rules as unknown as readonly Rule<Record<string, unknown>>[],
    drifts,
    neverSecret,
    secretProperties: Object.entries(properties).flatMap(([name, { sensitive }]) => (sensitive === true ? [name] : [])),
    examples,
  })
}
