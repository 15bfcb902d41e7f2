import type { Obstacle } from './decision.ts'
import { cannot, unreadable } from './differences.ts'
import type { DecidedDrift, UndecidedProperty } from './drift.ts'
import type { Unknown } from './observation.ts'

/** What comparing one part of a resource comes to; a decision is put together from the parts. */
export interface PartialDecision<Step = never> {
  readonly drift: readonly DecidedDrift[]
  readonly unknown: readonly UndecidedProperty[]
  readonly obstacles: readonly Obstacle[]
  /** How a fix removes the drift. */
  readonly steps: readonly Step[]
}

export const AS_WANTED: PartialDecision = { drift: [], unknown: [], obstacles: [], steps: [] }

/** The part drifts, and no step of its own fixes it. */
export function drifted(...drift: readonly DecidedDrift[]): PartialDecision {
  return { ...AS_WANTED, drift }
}

/** The part drifts, and a fix refuses it. */
export function refused(drift: DecidedDrift, reason: string): PartialDecision {
  return { ...drifted(drift), obstacles: [cannot(reason)] }
}

/** The part could not be read. */
export function undecided(property: string, why: Unknown): PartialDecision {
  return { ...AS_WANTED, unknown: [unreadable(property, why)] }
}

/** All parts together, in their order. */
export function mergeParts<Step>(parts: readonly PartialDecision<Step>[]): PartialDecision<Step> {
  // Most are, and an audit merges parts for each of its resources.
  if (parts.every(isAsWanted)) return AS_WANTED
  return {
    drift: parts.flatMap(({ drift }) => drift),
    unknown: parts.flatMap((part) => part.unknown),
    obstacles: parts.flatMap(({ obstacles }) => obstacles),
    steps: parts.flatMap(({ steps }) => steps),
  }
}

function isAsWanted({ drift, unknown, obstacles, steps }: PartialDecision<unknown>): boolean {
  return drift.length === 0 && unknown.length === 0 && obstacles.length === 0 && steps.length === 0
}
