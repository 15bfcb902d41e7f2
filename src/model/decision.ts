import type { DecidedDrift, UndecidedProperty } from './drift.ts'
import type { Effect } from './effect.ts'
import type { ErrorReason } from './observation.ts'

/**
 * An obstacle to a fix. If a pending resource provides the path in `missing` (or one of several), the fix may succeed;
 * otherwise it cannot. With `fatal`, the resource is not even decided.
 */
export interface Obstacle {
  readonly reason: string
  readonly missing?: string | readonly string[]
  /** A drifted resource in `require`, such as a package, may provide the missing item without naming a path. */
  readonly mayComeWithRequirement?: boolean
  readonly fatal?: ErrorReason
}

/** The hazards of a change. */
export interface Hazards {
  /** What the change may cut off: one of `RISKS`. */
  readonly risk?: string
  /** The reason why it cannot be undone: `the policy says no 'undo' for the command`. */
  readonly irreversible?: string
}

/** The plan of a fix. `text` is the sentence that an audit shows ("Would have created the file"). */
export type Plan<Action> =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'act'
      readonly action: Action
      readonly text: string
      /** The individual effects; reports for people show these, or `text` if undefined. */
      readonly effects?: readonly Effect[]
      readonly obstacles: readonly Obstacle[]
      /** The only paths that the action changes, and only their attributes. If undefined, anything may change. */
      readonly touches?: readonly string[]
      /** Why the action fixes only a part of the drift. */
      readonly leaves?: readonly [Obstacle, ...Obstacle[]]
      /** Set if the type declares hazards. */
      readonly hazards?: Hazards
    }
  | { readonly kind: 'refuse'; readonly obstacles: readonly [Obstacle, ...Obstacle[]] }

/**
 * The result of comparing desired with observed state: differences, unreadable properties and the plan. A plan without
 * drift is a reaction to the change of a subscribed resource.
 */
export interface Decision<Action> {
  readonly ensure: { readonly desired: string; readonly observed: string }
  readonly drift: readonly DecidedDrift[]
  readonly unknown: readonly UndecidedProperty[]
  readonly plan: Plan<Action>
  /**
   * True if the decision compares values that a system stores for its next start; a comparison of the stored values is
   * meaningful even on a system that is not running.
   */
  readonly comparesStored?: boolean
  /** Sentences that explain the result, in addition to its differences. */
  readonly messages?: readonly string[]
  /** Warnings that do not affect the verdict. */
  readonly warnings?: readonly string[]
}

/** The occasion of a decision. */
export interface Occasion {
  /** Whether a subscribed resource was changed by this fix, or in an audit would be changed. */
  readonly subscribed: boolean
  /** Whether this is the observation after the fix. */
  readonly applied: boolean
}

/**
 * The outcome of applying a plan. A failure is a value; its message says what failed and why. `output` is command
 * output for the report.
 */
export type ApplyOutcome =
  | { readonly kind: 'done'; readonly output?: string }
  | { readonly kind: 'failed'; readonly message: string; readonly output?: string }

/** The observation before any change. */
export const FIRST_LOOK: Occasion = { subscribed: false, applied: false }

/** The plan of a resource that needs no fix. */
export const NO_PLAN: { readonly kind: 'none' } = { kind: 'none' }

/** The action of a finished fix in the past tense: "Would have created the file" becomes "Created the file". */
export function pastTense(text: string): string {
  return text
    .split(/(?<=[.,] )/)
    .map((part) => {
      const bare = part.replace(/^would have /i, '')
      return bare === part ? part : matchCase(part, bare)
    })
    .join('')
}

function matchCase(original: string, bare: string): string {
  return original.startsWith('W') ? bare.charAt(0).toUpperCase() + bare.slice(1) : bare
}
