import type { ApplyOutcome, Decision, Hazards, Occasion } from '../model/decision.ts'
import type { ExportsOf, ExportSpecs } from '../model/exported.ts'
import type { NotApplicable, Observation, Reading, Seen, Unknown } from '../model/observation.ts'
import type { PropertiesOf, PropertySpecs, Rule } from '../model/property.ts'
import type { Remediator } from '../host/remediator.ts'
import type { Target } from '../host/target.ts'
import type { GoFunction, GoValue } from '../templates/govalue/index.ts'
import type { Captured, CaptureContext, ResourceCapture } from './capture.ts'

/** At once or later. */
export type Awaitable<T> = T | Promise<T>

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
  /** Set where contents may be compared, and not even their plain digests shown. */
  readonly contentsHidden?: boolean
  /** Set where no command that the policy names may run: guards, checks, `post` and the commands themselves. */
  readonly commandsForbidden?: boolean
  /** Set where a fix may remove what no resource names, because something else goes with it. */
  readonly allowRemovals?: boolean
  /** Set where a fix writes a file that is a mount point where it lies. */
  readonly writeMountPoints?: boolean
  /** Set where a fix writes a file that has several names where it lies. */
  readonly keepLinks?: boolean
  /** Set where commands that the policy names in Goss rules run in `/` and without the environment of this process. */
  readonly cleanEnvironment?: boolean
  /** Set where programs are not asked what they make of their own configuration. */
  readonly asksNobody?: boolean
  /**
   * What templates that a resource renders can see; `data` takes the place of the policy's own, in lookups too. Asked
   * for at most once for each look, because it gathers all facts. Absent where there is nothing to see.
   */
  readonly templates?: (data: ReadonlyMap<GoValue, GoValue> | undefined) => TemplateView
  /**
   * Makes the content of a URL or of an archive (an absolute path) available as a directory, which the runner of the
   * policy removes in the end. Absent where nothing can be fetched or unpacked.
   */
  readonly fetchDirectory?: (source: string) => Promise<Reading<string>>
}

/** Where a provider works. */
export interface Suitability {
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
  /**
   * Looks at the machine and says what it saw, with what deciding needs beside it. Changes nothing. What cannot be read is
   * `unknown`, never absent, and what does not concern the machine at all is `notApplicable`.
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
 * An example for the reference page, the help and the contract tests. `yaml` is the body of one list item; a margin that all
 * its lines have, and empty lines around it, do not count.
 */
export interface ResourceExample {
  readonly title: string
  readonly yaml: string
}

/** What a type may need of a machine: files and what the target tells, programs that it runs, connections that it opens. */
export const USES = ['files', 'commands', 'network'] as const

/** One of `USES`. */
export type Use = (typeof USES)[number]

/** What every resource type says of itself. */
export interface TypeDefinition<Specs extends PropertySpecs> {
  /** Small letters, digits, `_` and `-`; dots may part it, as in `file.owner`. */
  readonly type: string
  readonly summary: string
  /** The properties beside the common ones. A `name` that is not among them is any text; `ensure` need not be there. */
  readonly properties: Specs
  /** Conditions over several properties. */
  readonly rules?: readonly Rule<PropertiesOf<Specs>>[]
  /** Groups of properties of which at most one may be set. */
  readonly exclusive?: readonly (readonly (keyof Specs & string)[])[]
  /** The names a drift may carry, in the order of the type's state checks. */
  readonly drifts: readonly string[]
  /** Which of them never hold a secret, so that a sensitive resource may show them; `ensure` never does. */
  readonly neverSecret?: readonly string[]
  /** Whether a resource of this name holds a secret, as if its policy said `sensitive`. */
  readonly secretWhen?: (name: string) => boolean
  /**
   * What a type of a plugin uses of a machine. It gets no program without `commands`; one with `commands` runs none under --no-commands
   * and --untrusted, and one with `network` is not examined under --untrusted. Required since version 2 of the plugin API.
   */
  readonly uses?: readonly Use[]
  readonly examples: readonly ResourceExample[]
}

/** Where a resource stands, for what is hinted at. */
export interface HintContext {
  /** Whether its policy has controls, so that it is a baseline rather than a description of a machine to build. */
  readonly hasControls: boolean
}

/** What is allowed but probably not meant, as a sentence, in a resource with these properties as they are written. */
export type Hint = (given: Readonly<Record<string, unknown>>, context: HintContext) => string | undefined

/** What makes a resource type, beside the ways to observe and change it. */
interface TypeBehaviour<
  Specs extends PropertySpecs,
  State,
  Context,
  Action,
  Exports extends ExportSpecs,
> extends TypeDefinition<Specs> {
  /** The values that later resources can read of its resources. */
  readonly exports?: Exports
  /** What is allowed but probably not meant in a resource whose properties, as they are written, are these. */
  readonly hint?: Hint
  /** Whether its resources react to changes of those they name under `subscribe`. */
  readonly subscribes?: boolean
  /** How long each observe and each apply may take, in milliseconds; ten minutes by default. */
  readonly timeoutMs?: number
  /** Pure and synchronous: compares what is wanted with what was seen. Unknown never reaches it. */
  readonly decide: (
    desired: PropertiesOf<Specs>,
    observed: Seen<State, Context>,
    occasion: Occasion,
  ) => Decision<Action>
  /**
   * Pure and synchronous: the exported values that this look has found or filled in; undefined for one that there is not
   * now. Only asked for where a policy reads one, and must need no further look.
   */
  readonly exportsOf?: (desired: PropertiesOf<Specs>, observed: Seen<State, Context>) => ExportsOf<Exports>
  /**
   * Pure and synchronous: the exported values that are certain once this action was carried out; an unknown one
   * before is left out. Without it no value of a pending change is foreseen.
   */
  readonly exportsAfter?: (
    desired: PropertiesOf<Specs>,
    observed: Seen<State, Context>,
    action: Action,
  ) => ExportsOf<Exports>
  /** For `driftgate capture` and `driftgate status`; without it these commands do not know the type. */
  readonly capture?: ResourceCapture<State, Context>
  /**
   * Pure and synchronous: what is to be known of a change before it is made. `driftgate undo` reverts all changes of the
   * remediator, but for commands without a way back.
   */
  readonly hazards?: (
    desired: PropertiesOf<Specs>,
    action: Action,
  ) => { readonly [Name in keyof Hazards]?: Hazards[Name] | undefined }
  /** Paths that exist once the resource is in its desired state, and accounts as `user NAME` or `group NAME`; lets a dependent fix be planned. */
  readonly provides?: (desired: PropertiesOf<Specs>) => readonly string[]
  /**
   * Told the names of all resources of the type before the first of a run is looked at, so that what reads the machine
   * in bulk can ask for all of them at once.
   */
  readonly announce?: (target: Target, names: readonly string[]) => void
}

/** The ways to observe and change a type, in the order in which they are tried. */
interface WithProviders<Specs extends PropertySpecs, State, Context, Action> {
  readonly providers: readonly [
    Provider<PropertiesOf<Specs>, State, Context, Action>,
    ...Provider<PropertiesOf<Specs>, State, Context, Action>[],
  ]
  readonly observe?: never
  readonly apply?: never
  readonly platforms?: never
}

/** The one way to observe and change a type, for short. The provider is called `default`. */
type WithOneProvider<Specs extends PropertySpecs, State, Context, Action> = Pick<
  Provider<PropertiesOf<Specs>, State, Context, Action>,
  'observe' | 'apply' | 'platforms'
> & { readonly providers?: never }

/** How a type is observed and changed. */
export type Ways<Specs extends PropertySpecs, State, Context, Action> =
  WithProviders<Specs, State, Context, Action> | WithOneProvider<Specs, State, Context, Action>

/**
 * Everything that makes a resource type: either its `providers`, or `observe` and `apply` of the only one. The types of
 * state, context and action are inferred where the members stand in the order `properties`, `observe`, `decide`, `apply`;
 * among `providers` the action has to be named, as in `(remediator, desired, action: Action) => ...`.
 */
export type ResourceDefinition<
  Specs extends PropertySpecs,
  State,
  Context,
  Action,
  Exports extends ExportSpecs = ExportSpecs,
> = TypeBehaviour<Specs, State, Context, Action, Exports> & Ways<Specs, State, Context, Action>

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
       * Computes the exported values of this look. Throws an `Error` where they are not what the type declares. Absent
       * where the type exports nothing.
       */
      readonly readExports?: () => Readonly<Record<string, unknown>>
      /** The same as the plan of this look will certainly leave them; none where it has no plan, or nothing is certain. */
      readonly foreseeExports?: () => Readonly<Record<string, unknown>>
      readonly apply: (remediator: Remediator) => Promise<ApplyOutcome>
    }
  | NotApplicable
  | Unknown

/** A resource with all its values settled, ready to be looked at. */
export interface PreparedResource {
  readonly provider: string
  readonly provides: readonly string[]
  /** Observes the machine and decides. Never throws for anything the machine can do. */
  readonly examine: (target: Target, occasion: Occasion) => Awaitable<Examination>
}

/** How a type captures, with its private types hidden. */
export interface TypeCapture extends Pick<ResourceCapture<unknown, unknown>, 'look' | 'members'> {
  /** Looks with settled property values, which `decodeProperties` has checked, and writes down what is there. */
  readonly take: (
    values: Readonly<Record<string, unknown>>,
    provider: string,
    context: CaptureContext,
  ) => Promise<Captured>
}

/** A resource type with its private types hidden, as the engine and the policy reader see it. */
export interface ResourceType {
  readonly type: string
  readonly summary: string
  readonly properties: PropertySpecs
  /** The values that later resources can read; none where empty. */
  readonly exports: ExportSpecs
  readonly rules: readonly Rule<Record<string, unknown>>[]
  /** Groups of properties of which at most one may be set. */
  readonly exclusive: readonly (readonly string[])[]
  readonly subscribes: boolean
  /** What is allowed but probably not meant, as a sentence, in a resource with these properties as they are written. */
  readonly hint?: Hint
  /** How what is there is written down as a resource; absent where that is not possible. */
  readonly capture?: TypeCapture
  readonly drifts: readonly string[]
  readonly neverSecret: readonly string[]
  /** Whether a resource of this name holds a secret. */
  readonly secretWhen?: (name: string) => boolean
  /** What it uses of a machine; absent in types that ship and in those of version 1 of the plugin API. */
  readonly uses?: readonly Use[]
  /** The names of the properties whose values are secrets. */
  readonly secretProperties: readonly string[]
  readonly examples: readonly ResourceExample[]
  readonly providers: readonly Suitability[]
  /** Whether some of its fixes are announced with a risk, or as what an undo does not take back. */
  readonly hasHazards: boolean
  /** Told the names of all resources of the type before the first of a run is looked at. */
  readonly announce?: (target: Target, names: readonly string[]) => void
  /** Joins settled property values, which `decodeProperties` has checked, with the provider of that name. */
  readonly prepare: (
    values: Readonly<Record<string, unknown>>,
    provider: string,
    context: ResourceContext,
  ) => PreparedResource
}
