import type { DecidedDrift, UndecidedProperty } from './drift.ts'
import type { Effect } from './effect.ts'
import type { ErrorReason } from './observation.ts'

/**
 * Something that stands in the way of a fix. If `missing` names a path, or several of which one is enough, that an
 * earlier, still pending resource would provide, the fix may succeed; otherwise it cannot, or, where `fatal` is set, the
 * resource cannot even be decided.
 */
export interface Obstacle {
  readonly reason: string
  readonly missing?: string | readonly string[]
  /** A drifted resource that this one requires, such as a package, may provide what is missing without naming a path. */
  readonly mayComeWithRequirement?: boolean
  readonly fatal?: ErrorReason
}

/** What is to be known of a change before it is made. */
export interface Hazards {
  /** What it may cut off, one of `RISKS`. */
  readonly risk?: string
  /** Why it cannot be undone: `the policy says no 'undo' for the command`. */
  readonly irreversible?: string
}

/** What a fix would do. `text` is the sentence an audit shows ("Would have created the file"). */
export type Plan<Action> =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'act'
      readonly action: Action
      readonly text: string
      /** The same as it is, one after another; reports for people say that. Without it they show `text`. */
      readonly effects?: readonly Effect[]
      readonly obstacles: readonly Obstacle[]
      /** The only paths that the action changes, and of them nothing but attributes. Anything may change where it is absent. */
      readonly touches?: readonly string[]
      /** Why the action leaves a part of the drift, where it does: what cannot be done does not keep the rest undone. */
      readonly leaves?: readonly [Obstacle, ...Obstacle[]]
      /** Entered where the type says them of its changes. */
      readonly hazards?: Hazards
    }
  | { readonly kind: 'refuse'; readonly obstacles: readonly [Obstacle, ...Obstacle[]] }

/**
 * The outcome of comparing desired with observed state: every difference, what could not be read, and the plan. A plan without
 * drift is what a change of a subscribed resource asks for.
 */
export interface Decision<Action> {
  readonly ensure: { readonly desired: string; readonly observed: string }
  readonly drift: readonly DecidedDrift[]
  readonly unknown: readonly UndecidedProperty[]
  readonly plan: Plan<Action>
  /** Set where something was compared that a system has which does not run: what is left of it then is not nothing. */
  readonly comparesStored?: boolean
  /** Sentences that explain the result beside its differences. */
  readonly messages?: readonly string[]
  /** What is worth knowing although it decides nothing. */
  readonly warnings?: readonly string[]
}

/** What a decision is made for, beside what was seen. */
export interface Occasion {
  /** Whether a resource this one subscribes to was changed by this fix, or in an audit would be. */
  readonly subscribed: boolean
  /** Whether this is the look after the plan was carried out. */
  readonly applied: boolean
}

/**
 * How applying a plan went. A failure is a value: the machine refused, and the sentence says what and why. `output` is
 * what a command wrote that people should see.
 */
export type ApplyOutcome =
  | { readonly kind: 'done'; readonly output?: string }
  | { readonly kind: 'failed'; readonly message: string; readonly output?: string }

/** A look before anything was changed. */
export const FIRST_LOOK: Occasion = { subscribed: false, applied: false }

/** The plan where nothing has to be done. */
export const NO_PLAN: { readonly kind: 'none' } = { kind: 'none' }

/** The action of a finished fix, in the past: "Would have created the file" becomes "Created the file". */
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
