import type { Position } from './problem.ts'

/** The terms of a waiver: why drift is accepted, by whom, until when. Dates are `YYYY-MM-DD`. */
export interface WaiverTerms {
  readonly id: string
  readonly reason: string
  readonly approver: string
  /** The last day it is in force, until midnight UTC. */
  readonly expires: string
  readonly created?: string
  readonly ticket?: string
}

/** The subject of a waiver. Names match exactly, or as globs with `*` and `?`. */
export interface WaiverScope {
  /** The id of a resource. Either this or `control` is set. */
  readonly resource?: string
  /** The id of a control; applies to the resources that support it. */
  readonly control?: string
  /** The only property whose drift it accepts. */
  readonly property?: string
  /** The host names it applies to; all if undefined. */
  readonly host?: string
  /** The observed value it accepts, as shown in reports; any if undefined. */
  readonly value?: string
}

/** Default number of days before the last day of a waiver from which it is reported to expire soon. */
export const WARN_DAYS = 14

/** A waiver as read. */
export interface Waiver extends WaiverTerms, WaiverScope {
  readonly source: Position
}

/**
 * The effect of a waiver on drift: `in-force` accepts it, `expired` did until its last day, and `lapsed` would if the
 * observed value were still the accepted one.
 */
export type WaiverState = 'in-force' | 'expired' | 'lapsed'

/** A waiver that concerns the drift of a resource, complete, so that each result can be read on its own. */
export interface WaiverUse extends WaiverTerms {
  readonly state: WaiverState
  /** The properties with drift that it concerns. */
  readonly covers: readonly string[]
}

/** A waiver with its usage in a run. */
export interface WaiverRecord extends Waiver {
  readonly state: 'in-force' | 'expired'
  /** Whole days from today until its last day; 0 on that day, negative afterwards. */
  readonly daysLeft: number
  /** Whether it expires within the warning period. */
  readonly expiresSoon: boolean
  /** Number of resources with drift that it accepts. */
  readonly accepted: number
}
