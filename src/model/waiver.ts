import type { Position } from './problem.ts'

/** What a waiver says for people: why drift is accepted, by whom, until when. Dates are `YYYY-MM-DD`. */
export interface WaiverTerms {
  readonly id: string
  readonly reason: string
  readonly approver: string
  /** The last day it is in force, to its end in UTC. */
  readonly expires: string
  readonly created?: string
  readonly ticket?: string
}

/** What a waiver is about. Names are exact or globs with `*` and `?`, never a part of a name. */
export interface WaiverScope {
  /** The id of a resource. Either this or `control` is there. */
  readonly resource?: string
  /** The id of a control; stands for the resources that support it. */
  readonly control?: string
  /** The only property it accepts drift of. */
  readonly property?: string
  /** The host names it holds for; all where absent. */
  readonly host?: string
  /** The observed value it accepts, as reports show it; any where absent. */
  readonly value?: string
}

/** From how many days before its last day a waiver is reported to expire soon, by default. */
export const WARN_DAYS = 14

/** A waiver as it was read. */
export interface Waiver extends WaiverTerms, WaiverScope {
  readonly source: Position
}

/**
 * How a waiver and the drift of a resource go together: `in-force` accepts it, `expired` did until its last day, and
 * `lapsed` would if the observed value were still the one that was accepted.
 */
export type WaiverState = 'in-force' | 'expired' | 'lapsed'

/** A waiver that concerns the drift of a resource, repeated there so that each result can be read by itself. */
export interface WaiverUse extends WaiverTerms {
  readonly state: WaiverState
  /** The properties among the drift that it concerns. */
  readonly covers: readonly string[]
}

/** A waiver with what became of it in a run. */
export interface WaiverRecord extends Waiver {
  readonly state: 'in-force' | 'expired'
  /** Whole days after today until its last day; 0 on its last day, negative after it. */
  readonly daysLeft: number
  /** Whether it expires within the days people want to be warned. */
  readonly expiresSoon: boolean
  /** How many resources have drift that it accepts. */
  readonly accepted: number
}
