import type { ReportValue } from './drift.ts'
import type { Severity } from './verdict.ts'

/**
 * How a drift compares with the reference report: `new` drift is not in it, `changed` drift has other values there,
 * `unchanged` drift the same ones. The gate fails for the first two.
 */
export type BaselineClass = 'new' | 'changed' | 'unchanged'

/** The fate of a drift between two runs; `resolved` and `incomparable` drift is in the earlier run only. */
export const DRIFT_FATES = ['new', 'changed', 'unchanged', 'resolved', 'incomparable'] as const

/** One of `DRIFT_FATES`. */
export type DriftFate = (typeof DRIFT_FATES)[number]

/** Number of drifts by fate. */
export type FateCounts = Readonly<Record<DriftFate, number>>

/** Calls `count` for each fate. */
export function fateCounts(count: (fate: DriftFate) => number): FateCounts {
  // One entry per fate.
  return Object.fromEntries(DRIFT_FATES.map((fate) => [fate, count(fate)])) as FateCounts
}

/** A drift of an earlier run that the later run does not have. */
export interface PastDrift {
  /** Name of the target, if a scan has several. */
  readonly target?: string
  readonly policy: string
  readonly resource: string
  /** Ids of the enclosing apply resources, outermost first. */
  readonly path?: readonly string[]
  /** The property; if one resource covers many files, followed by a space and the path of the file. */
  readonly property: string
  readonly fingerprint: string
  readonly severity: Severity
  readonly desired: ReportValue
  readonly observed: ReportValue
}

/** A drift of an earlier run that the later run could not check. */
export interface IncomparableDrift extends PastDrift {
  /** The reason, as a sentence. */
  readonly why: string
}

/** The comparison of a run with an earlier one. The counts are of drifts, not of resources. */
export interface BaselineComparison {
  /** The file name as the operator wrote it. */
  readonly source: string
  readonly runId: string
  readonly startedAt: string
  readonly counts: FateCounts
  readonly resolved: readonly PastDrift[]
  readonly incomparable: readonly IncomparableDrift[]
}
