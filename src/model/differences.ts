import { defined } from './defined.ts'
import { type Acceptance, isAcceptance } from './acceptance.ts'
import { type Effect, sentenceOf } from './effect.ts'
import { type Decision, NO_PLAN, type Obstacle, type Plan } from './decision.ts'
import type { Unknown } from './observation.ts'
import type { ContentDigest, Drift, ReportValue, UndecidedProperty, UnknownProperty } from './drift.ts'

/** A value that can be compared: what reports show, without what hides secrets. Undefined says nothing. */
export type Comparable = string | number | boolean | null | ContentDigest | undefined

/**
 * One property with what the machine has and what the policy wants. It is a difference if the two are not the same, and
 * none where nothing is wanted (`desired` is undefined).
 */
export interface Difference {
  /** One of the names that the type declares under `drifts`. */
  readonly property: string
  /** What was observed; undefined and null both mean that there is nothing. */
  readonly original: Comparable
  /**
   * What is wanted; undefined where the policy does not say, or accepts what is there; null where there must be nothing. An
   * acceptance is always a difference: `isAccepted` says whether it is one.
   */
  readonly desired: Comparable | Acceptance
  /** What is shown in place of a value that is empty text or nothing. */
  readonly whenEmpty?: string
  /** The file inside the resource that differs, relative to the resource, where one resource covers many. */
  readonly path?: string
  /** Unified diff from observed to desired, only of text that is not secret. */
  readonly diff?: string
  /** What to know about the difference beside the two values. */
  readonly note?: string
}

/** What a type says beside the differences. Whether a fix will, may or cannot change them is found out by the engine. */
export interface DecisionParts<Action> {
  /**
   * What a fix does about the differences: its action, and what that is to something, of which the engine makes the sentences of
   * an audit and of a fix. `text` is a sentence of one's own in their place, which begins with "Would have".
   */
  readonly fix?:
    | { readonly action: Action; readonly effects: readonly [Effect, ...Effect[]] }
    | { readonly action: Action; readonly text: string }
  /** Why a fix is not possible, or only once an earlier one has provided what is missing; made with `cannot`. */
  readonly obstacles?: readonly Obstacle[]
  /** What could not be read. */
  readonly unknown?: readonly UnknownProperty[]
  /** What must be and what is there, in one word each; `present` where it is absent. */
  readonly ensure?: { readonly desired: string; readonly observed: string }
  readonly messages?: readonly string[]
  readonly warnings?: readonly string[]
}

/**
 * Makes a decision of named differences, in their order. Throws where something differs and nothing says what a fix does or
 * why it cannot: that is a mistake of the type.
 */
export function differences<Action = never>(
  compared: readonly Difference[],
  parts: DecisionParts<Action> = {},
): Decision<Action> {
  const { unknown = [], ensure = PRESENT, messages = [], warnings = [] } = parts
  const drift = compared.filter(isDifferent).map(driftOf)
  return {
    ensure,
    drift,
    unknown,
    plan: planFor(drift, parts),
    ...(messages.length === 0 ? {} : { messages }),
    ...(warnings.length === 0 ? {} : { warnings }),
  }
}

/**
 * The decision about something that is not there although it has to be: one difference named `ensure`, which the type has
 * to declare.
 */
export function missing<Action = never>(parts: Omit<DecisionParts<Action>, 'ensure'> = {}): Decision<Action> {
  const ensure = { desired: 'present', observed: 'absent' }
  const difference = { property: 'ensure', original: ensure.observed, desired: ensure.desired }
  return differences([difference], { ...parts, ensure })
}

/**
 * A reason why a fix is not possible; `apply` is not called then. Where `missing` names a path that an earlier, still pending
 * resource provides, or `mayComeWithRequirement` is set and a required resource is still to be fixed, it may be.
 */
export function cannot(reason: string, conditions: Omit<Obstacle, 'reason'> = {}): Obstacle {
  return { reason, ...conditions }
}

/** A property of which could not be read what it is. */
export function unreadable(property: string, { reason, detail, needs }: Unknown): UndecidedProperty {
  return needs === undefined ? { property, reason, detail } : { property, reason, detail, needs }
}

const PRESENT = { desired: 'present', observed: 'present' }

function isDifferent({ original, desired }: Difference): boolean {
  if (desired === undefined) return false
  if (isAcceptance(desired)) return true
  if (isDigest(original) && isDigest(desired)) return original.sha256 !== desired.sha256
  return (original ?? null) !== desired
}

function isDigest(value: Comparable): value is ContentDigest {
  return typeof value === 'object' && value !== null
}

function driftOf({ property, original, desired, whenEmpty, path, diff, note }: Difference): Drift {
  return {
    property,
    desired: shown(desired, whenEmpty),
    observed: shown(original, whenEmpty),
    ...defined({ path, diff, note }),
  }
}

function shown(value: Comparable | Acceptance, whenEmpty: string | undefined): ReportValue {
  const isEmpty = value === undefined || value === null || value === ''
  return isEmpty ? (whenEmpty ?? value ?? null) : value
}

function planFor<Action>(drift: readonly Drift[], { fix, obstacles = [] }: DecisionParts<Action>): Plan<Action> {
  if (drift.length === 0) {
    // What keeps it from being decided at all stands in the way of its being right, too.
    const [first, ...others] = obstacles.filter(({ fatal }) => fatal !== undefined)
    return first === undefined ? NO_PLAN : { kind: 'refuse', obstacles: [first, ...others] }
  }
  if (fix !== undefined) {
    const text = 'text' in fix ? fix.text : sentenceOf(fix.effects)
    if (!text.startsWith('Would have ')) throw new Error(`"${text}" is a plan that does not begin with "Would have"`)
    return { kind: 'act', ...fix, text, obstacles }
  }
  const [first, ...others] = obstacles
  if (first !== undefined) return { kind: 'refuse', obstacles: [first, ...others] }
  const names = drift.map(({ property }) => property).join(', ')
  throw new Error(`${names} differs, but the decision says neither what a fix does nor why it cannot`)
}
