import type { ReportValue } from './drift.ts'
import type { Severity } from './verdict.ts'

/**
 * How a drift compares with an earlier run: `new` is not in it, `changed` is there with other values, `unchanged` with
 * the same. The gate fails for the first two.
 */
export type BaselineClass = 'new' | 'changed' | 'unchanged'

/** A drift of an earlier run that this run does not have. */
export interface PastDrift {
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
  readonly counts: Readonly<Record<BaselineClass | 'resolved' | 'incomparable', number>>
  readonly resolved: readonly PastDrift[]
  readonly incomparable: readonly IncomparableDrift[]
}
