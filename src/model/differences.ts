import { defined } from './defined.ts'
import { type Acceptance, isAcceptance } from './acceptance.ts'
import { type Effect, sentenceOf } from './effect.ts'
import { type Decision, NO_PLAN, type Obstacle, type Plan } from './decision.ts'
import type { Unknown } from './observation.ts'
import type { ContentDigest, Drift, ReportValue, UndecidedProperty, UnknownProperty } from './drift.ts'

/** A comparable value: a `ReportValue` without redacted ones. Undefined means no value. */
export type Comparable = string | number | boolean | null | ContentDigest | undefined

/**
 * The observed and the desired value of one property. They are a difference if they are not equal and `desired` is not
 * undefined.
 */
export interface Difference {
  /** One of the names that the type declares under `drifts`. */
  readonly property: string
  /** The observed value; undefined and null both mean no value. */
  readonly original: Comparable
  /**
   * The desired value; undefined if the policy sets none or accepts the observed value; null if there must be no value.
   * An acceptance always counts as a difference: check it with `isAccepted` first.
   */
  readonly desired: Comparable | Acceptance
  /** Shown instead of an empty text or a missing value. */
  readonly whenEmpty?: string
  /** Path of the file relative to the resource, if one resource covers many files. */
  readonly path?: string
  /** Unified diff from observed to desired, for text that is not secret. */
  readonly diff?: string
  /** A remark on the difference. */
  readonly note?: string
}

/** The parts of a decision except the differences. The engine determines whether a fix will, may or cannot resolve them. */
export interface DecisionParts<Action> {
  /**
   * The fix of the differences: its action, and its effects, from which the engine builds the sentences of an audit and
   * of a fix. `text` replaces them with a custom sentence, which begins with "Would have".
   */
  readonly fix?:
    | { readonly action: Action; readonly effects: readonly [Effect, ...Effect[]] }
    | { readonly action: Action; readonly text: string }
  /** Reasons why a fix is impossible, or possible only after an earlier one; made with `cannot`. */
  readonly obstacles?: readonly Obstacle[]
  /** Properties that could not be read. */
  readonly unknown?: readonly UnknownProperty[]
  /** Desired and observed state in one word each; both `present` by default. */
  readonly ensure?: { readonly desired: string; readonly observed: string }
  readonly messages?: readonly string[]
  readonly warnings?: readonly string[]
}

/**
 * Makes a decision from differences, in their order. Throws an `Error` if there is a difference with neither a fix nor
 * an obstacle: a defect of the type.
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

/** The decision about a resource that must exist and does not: one difference named `ensure`, which the type must declare. */
export function missing<Action = never>(parts: Omit<DecisionParts<Action>, 'ensure'> = {}): Decision<Action> {
  const ensure = { desired: 'present', observed: 'absent' }
  const difference = { property: 'ensure', original: ensure.observed, desired: ensure.desired }
  return differences([difference], { ...parts, ensure })
}

/**
 * An obstacle to a fix; `apply` is not called. The fix may still succeed if a pending resource provides the path in
 * `missing`, or if `mayComeWithRequirement` is set and a required resource is pending.
 */
export function cannot(reason: string, conditions: Omit<Obstacle, 'reason'> = {}): Obstacle {
  return { reason, ...conditions }
}

/** A property that could not be read. */
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
    desired: toReportValue(desired, whenEmpty),
    observed: toReportValue(original, whenEmpty),
    ...defined({ path, diff, note }),
  }
}

function toReportValue(value: Comparable | Acceptance, whenEmpty: string | undefined): ReportValue {
  const isEmpty = value === undefined || value === null || value === ''
  return isEmpty ? (whenEmpty ?? value ?? null) : value
}

function planFor<Action>(drift: readonly Drift[], { fix, obstacles = [] }: DecisionParts<Action>): Plan<Action> {
  if (drift.length === 0) {
    // An obstacle that prevents the decision also prevents the fix.
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
