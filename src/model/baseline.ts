import type { ReportValue } from './drift.ts'
import type { Severity } from './verdict.ts'

/**
 * How a drift compares with an earlier run: `new` is not in it, `changed` is there with other values, `unchanged` with
 * the same. The gate fails for the first two.
 */
export type BaselineClass = 'new' | 'changed' | 'unchanged'

/** What became of a drift between two runs: `resolved` and `incomparable` are those that only the earlier one has. */
export const DRIFT_FATES = ['new', 'changed', 'unchanged', 'resolved', 'incomparable'] as const

/** One of `DRIFT_FATES`. */
export type DriftFate = (typeof DRIFT_FATES)[number]

/** How many drifts there are of each fate. */
export type FateCounts = Readonly<Record<DriftFate, number>>

/** Counts each fate by asking for it. */
export function fateCounts(count: (fate: DriftFate) => number): FateCounts {
  // One entry per fate.
  return Object.fromEntries(DRIFT_FATES.map((fate) => [fate, count(fate)])) as FateCounts
}

/** A drift of an earlier run that this run does not have. */
export interface PastDrift {
  /** The name of the target it was on, where a scan has several. */
  readonly target?: string
  readonly policy: string
  readonly resource: string
  /** The ids of the apply resources through which it was reached, outermost first. */
  readonly path?: readonly string[]
  /** The property, with the file inside the resource behind a space where one resource covers many. */
  readonly property: string
  readonly fingerprint: string
  readonly severity: Severity
  readonly desired: ReportValue
  readonly observed: ReportValue
}

/** A drift of an earlier run of which this run cannot say whether it is still there. */
export interface IncomparableDrift extends PastDrift {
  /** Why, in a sentence. */
  readonly why: string
}

/** What a run found in comparison with an earlier one. The counts are of drifts, not of resources. */
export interface BaselineComparison {
  /** The file as the operator named it. */
  readonly source: string
  readonly runId: string
  readonly startedAt: string
  readonly counts: FateCounts
  readonly resolved: readonly PastDrift[]
  readonly incomparable: readonly IncomparableDrift[]
}
