import type { ApplyOutcome, Decision, Hazards, Occasion } from '../model/decision.ts'
import type { ExportsOf, ExportSpecs } from '../model/exported.ts'
import type { NotApplicable, Observation, Reading, Seen, Unknown } from '../model/observation.ts'
import type { PropertiesOf, PropertySpecs, Rule } from '../model/property.ts'
import type { Remediator } from '../host/remediator.ts'
import type { Target } from '../host/target.ts'
import type { GoFunction, GoValue } from '../templates/govalue/index.ts'
import type { Captured, CaptureContext, ResourceCapture } from './capture.ts'

/** A value or a promise of it. */
export type Awaitable<T> = T | Promise<T>

/** The variables and functions of templates outside the policy text. */
export interface TemplateView {
  /** `facts`, `data`, `environ` and the same with an initial capital. */
  readonly variables: ReadonlyMap<string, GoValue>
  readonly functions: ReadonlyMap<string, GoFunction>
}

/** Context of every observe and apply, in addition to the target. */
export interface ResourceContext {
  /** Base directory of the policy's relative paths. */
  readonly workingDirectory: string
  /** Aborted when the run is interrupted. */
  readonly signal: AbortSignal
  /** Whether text differences may be shown: false with `--no-diff` and for sensitive resources. */
  readonly showDiff: boolean
  /** True if contents may be compared, but not even their plain digests shown. */
  readonly contentsHidden?: boolean
  /** True if commands of the policy must not run: guards, checks, `post` and the commands themselves. */
  readonly commandsForbidden?: boolean
  /** True if a fix may remove other items that depend on the removed one, although no resource names them. */
  readonly allowRemovals?: boolean
  /** True if a fix writes a file in place if the file is a mount point. */
  readonly writeMountPoints?: boolean
  /** True if a fix writes a file in place if the file has several hard links. */
  readonly keepLinks?: boolean
  /** True if commands of Goss rules run in `/` and without the environment of this process. */
  readonly cleanEnvironment?: boolean
  /** True if programs must not be run to dump their own configuration. */
  readonly asksNobody?: boolean
  /** True if programs that leave traces may be run in a sandbox to dump their own configuration. */
  readonly asksSandboxed?: boolean
  /**
   * Variables and functions of the templates of a resource, undefined without any; `data` replaces that of the policy,
   * in lookups too. Called at most once per observation, because it gathers all facts.
   */
  readonly templates?: (data: ReadonlyMap<GoValue, GoValue> | undefined) => TemplateView
  /**
   * Fetches a URL or unpacks an archive (an absolute path) into a directory, which the runner of the policy removes at
   * the end. Undefined if nothing can be fetched or unpacked.
   */
  readonly fetchDirectory?: (source: string) => Promise<Reading<string>>
}

/** The conditions under which a provider works. */
export interface Suitability {
  readonly name: string
  /** Supported platforms (Node's names); all if undefined. */
  readonly platforms?: readonly string[]
  /** Whether the provider works on this machine; decided from files, without running a program. */
  readonly usable?: (target: Target) => boolean
  /** The unmet requirement, as the end of a sentence: `needs ...`. */
  readonly needs?: string
}

/** An implementation of a type for a kind of machine. The first provider that supports the target is used. */
export interface Provider<Desired, State, Context, Action> extends Suitability {
  /**
   * Reads the state of the machine, plus the context that the decision needs. Changes nothing. An unreadable state is
   * `unknown`, never absent; a resource that does not concern the machine is `notApplicable`.
   */
  readonly observe: (
    target: Target,
    desired: Desired,
    context: ResourceContext,
    occasion: Occasion,
  ) => Awaitable<Observation<State, Context> | NotApplicable>
  /** Performs exactly the planned action. The engine observes again afterwards. */
  readonly apply: (
    remediator: Remediator,
    desired: Desired,
    action: Action,
    context: ResourceContext,
  ) => Promise<ApplyOutcome>
}

/**
 * An example for the reference page, the help and the contract tests. `yaml` is the body of one list item; common
 * indentation and surrounding blank lines are ignored.
 */
export interface ResourceExample {
  readonly title: string
  readonly yaml: string
}

/** What a type may use: files and other answers of the target, programs that it runs, network connections. */
export const USES = ['files', 'commands', 'network'] as const

/** One of `USES`. */
export type Use = (typeof USES)[number]

/** The declarative part of a resource type. */
export interface TypeDefinition<Specs extends PropertySpecs> {
  /** Lowercase letters, digits, `_` and `-`, with dots as separators, as in `file.owner`. */
  readonly type: string
  readonly summary: string
  /** The properties in addition to the common ones. Without a `name` here, the name may be any text; `ensure` is optional. */
  readonly properties: Specs
  /** Conditions over several properties. */
  readonly rules?: readonly Rule<PropertiesOf<Specs>>[]
  /** Groups of mutually exclusive properties. */
  readonly exclusive?: readonly (readonly (keyof Specs & string)[])[]
  /** The property names that a drift may have, in the order of the checks of the type. */
  readonly drifts: readonly string[]
  /** The drifts that never hold a secret, so that a sensitive resource may show them; `ensure` is always one. */
  readonly neverSecret?: readonly string[]
  /** Whether a resource of this name holds a secret, as if its policy set `sensitive`. */
  readonly secretWhen?: (name: string) => boolean
  /**
   * What a plugin's type uses. Without `commands` the type cannot run programs; with it, it runs none under
   * --no-commands and --untrusted. A type with `network` is not examined under --untrusted. Required since version 2 of
   * the plugin API.
   */
  readonly uses?: readonly Use[]
  readonly examples: readonly ResourceExample[]
}

/** Context of a hint. */
export interface HintContext {
  /** Whether the policy has controls: a baseline rather than the description of a machine to build. */
  readonly hasControls: boolean
}

/** A valid but probably unintended declaration, as a sentence. `given` are the properties as written. */
export type Hint = (given: Readonly<Record<string, unknown>>, context: HintContext) => string | undefined

/** A resource type without its providers. */
interface TypeBehaviour<
  Specs extends PropertySpecs,
  State,
  Context,
  Action,
  Exports extends ExportSpecs,
> extends TypeDefinition<Specs> {
  /** Exported values, which later resources can read. */
  readonly exports?: Exports
  /** Reports a valid but probably unintended declaration. */
  readonly hint?: Hint
  /** Whether its resources react to changes of the resources in `subscribe`. */
  readonly subscribes?: boolean
  /** Timeout of each observe and each apply, in milliseconds; ten minutes by default. */
  readonly timeoutMs?: number
  /** Pure and synchronous: compares the desired with the observed state. Never called with an unknown state. */
  readonly decide: (
    desired: PropertiesOf<Specs>,
    observed: Seen<State, Context>,
    occasion: Occasion,
  ) => Decision<Action>
  /**
   * Pure and synchronous: the exported values of this observation, including defaults; undefined for a value that does
   * not exist now. Called only if a policy reads one; must not read the machine.
   */
  readonly exportsOf?: (desired: PropertiesOf<Specs>, observed: Seen<State, Context>) => ExportsOf<Exports>
  /**
   * Pure and synchronous: the exported values that are certain after this action; values that stay unknown are left
   * out. Without it, no value of a pending change is predicted.
   */
  readonly exportsAfter?: (
    desired: PropertiesOf<Specs>,
    observed: Seen<State, Context>,
    action: Action,
  ) => ExportsOf<Exports>
  /** For `driftgate capture` and `driftgate status`; without it, these commands do not support the type. */
  readonly capture?: ResourceCapture<State, Context>
  /**
   * Pure and synchronous: the hazards of a change. `driftgate undo` reverts all changes of the remediator except
   * irreversible commands.
   */
  readonly hazards?: (
    desired: PropertiesOf<Specs>,
    action: Action,
  ) => { readonly [Name in keyof Hazards]?: Hazards[Name] | undefined }
  /**
   * Paths that exist once the resource is compliant, and accounts as `user NAME` or `group NAME`, so that dependent
   * fixes can be planned.
   */
  readonly provides?: (desired: PropertiesOf<Specs>) => readonly string[]
  /** Receives the names of all resources of the type before the first one is observed, so that a bulk read can cover them all. */
  readonly announce?: (target: Target, names: readonly string[]) => void
}

/** Several providers, tried in this order. */
interface WithProviders<Specs extends PropertySpecs, State, Context, Action> {
  readonly providers: readonly [
    Provider<PropertiesOf<Specs>, State, Context, Action>,
    ...Provider<PropertiesOf<Specs>, State, Context, Action>[],
  ]
  readonly observe?: never
  readonly apply?: never
  readonly platforms?: never
}

/** Shorthand for a single provider, which is called `default`. */
type WithOneProvider<Specs extends PropertySpecs, State, Context, Action> = Pick<
  Provider<PropertiesOf<Specs>, State, Context, Action>,
  'observe' | 'apply' | 'platforms'
> & { readonly providers?: never }

/** The providers of a type. */
export type Ways<Specs extends PropertySpecs, State, Context, Action> =
  WithProviders<Specs, State, Context, Action> | WithOneProvider<Specs, State, Context, Action>

/**
 * The definition of a resource type: either its `providers`, or `observe` and `apply` of a single one. The types of
 * state, context and action are inferred if the members are in the order `properties`, `observe`, `decide`, `apply`;
 * with `providers`, annotate the action: `(remediator, desired, action: Action) => ...`.
 */
export type ResourceDefinition<
  Specs extends PropertySpecs,
  State,
  Context,
  Action,
  Exports extends ExportSpecs = ExportSpecs,
> = TypeBehaviour<Specs, State, Context, Action, Exports> & Ways<Specs, State, Context, Action>

/** A type whose resources represent child manifests: the engine runs them and rolls up their results. */
export interface ChildDefinition<Specs extends PropertySpecs> extends TypeDefinition<Specs> {
  /** The provider name in reports. */
  readonly provider: string
}

/** The result of an examination: a decision with the functions to apply it, or the reason why the state is undecided. */
export type Examination =
  | {
      readonly kind: 'decided'
      readonly decision: Decision<unknown>
      /** Computes the exported values; undefined if the type exports nothing. Throws an `Error` if it does not declare them so. */
      readonly readExports?: () => Readonly<Record<string, unknown>>
      /** The exported values that are certain after the planned action; empty without a plan. */
      readonly foreseeExports?: () => Readonly<Record<string, unknown>>
      readonly apply: (remediator: Remediator) => Promise<ApplyOutcome>
    }
  | NotApplicable
  | Unknown

/** A resource with decoded values, ready to be examined. */
export interface PreparedResource {
  readonly provider: string
  readonly provides: readonly string[]
  /** Observes the machine and decides. Never throws because of the state of the machine. */
  readonly examine: (target: Target, occasion: Occasion) => Awaitable<Examination>
}

/** The capture of a type, with its private types hidden. */
export interface TypeCapture extends Pick<ResourceCapture<unknown, unknown>, 'look' | 'members'> {
  /** Observes with values that `decodeProperties` has checked, and describes the state as a resource. */
  readonly take: (
    values: Readonly<Record<string, unknown>>,
    provider: string,
    context: CaptureContext,
  ) => Promise<Captured>
}

/** A resource type with its private types hidden, for the engine and the policy reader. */
export interface ResourceType {
  readonly type: string
  readonly summary: string
  readonly properties: PropertySpecs
  /** Exported values, which later resources can read; may be empty. */
  readonly exports: ExportSpecs
  readonly rules: readonly Rule<Record<string, unknown>>[]
  /** Groups of mutually exclusive properties. */
  readonly exclusive: readonly (readonly string[])[]
  readonly subscribes: boolean
  /** Reports a valid but probably unintended declaration, as a sentence. */
  readonly hint?: Hint
  /** Describes the state of a machine as a resource; undefined if the type does not support it. */
  readonly capture?: TypeCapture
  readonly drifts: readonly string[]
  readonly neverSecret: readonly string[]
  /** Whether a resource of this name holds a secret. */
  readonly secretWhen?: (name: string) => boolean
  /** What the type uses; undefined in types that ship and in those of version 1 of the plugin API. */
  readonly uses?: readonly Use[]
  /** The names of the properties whose values are secrets. */
  readonly secretProperties: readonly string[]
  readonly examples: readonly ResourceExample[]
  readonly providers: readonly Suitability[]
  /** Whether some of its fixes have a risk or are irreversible. */
  readonly hasHazards: boolean
  /** Receives the names of all resources of the type before the first one is observed. */
  readonly announce?: (target: Target, names: readonly string[]) => void
  /** Binds values that `decodeProperties` has checked to the provider of that name. */
  readonly prepare: (
    values: Readonly<Record<string, unknown>>,
    provider: string,
    context: ResourceContext,
  ) => PreparedResource
}
