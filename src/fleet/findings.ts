import { SEVERITIES, type Severity } from '../model/verdict.ts'
import { type Standing, STANDINGS } from '../report/words/requirements.ts'
import type { Cause } from './source.ts'

/** An unmet requirement of a policy on a host. */
export interface FleetFinding {
  readonly policy: string
  /** Ids of the apply resources above it and its own id, joined by ` > `. */
  readonly name: string
  readonly kind: 'control' | 'resource'
  readonly title?: string
  readonly severity: Severity
  readonly standing: Exclude<Standing, 'met'>
  /** Reason why it is unknown. */
  readonly cause?: Cause
  /**
   * Time of the first run with the finding, in milliseconds since 1970; alternating drifted and unknown states count as
   * one period.
   */
  readonly sinceMs: number
}

export type BySeverity = Readonly<Record<Severity, number>>

export const NO_DRIFTS: BySeverity = { info: 0, low: 0, medium: 0, high: 0, critical: 0 }

/** Number of drifted requirements by severity. */
export function driftsOf(findings: Iterable<FleetFinding>): BySeverity {
  const drifts: Record<Severity, number> = { ...NO_DRIFTS }
  for (const { standing, severity } of findings) if (standing === 'drifted') drifts[severity]++
  return drifts
}

/** Worst first: by state, severity, then name. */
export function compareFindings(left: FleetFinding, right: FleetFinding): number {
  return (
    STANDINGS.indexOf(left.standing) - STANDINGS.indexOf(right.standing) ||
    SEVERITIES.indexOf(right.severity) - SEVERITIES.indexOf(left.severity) ||
    (left.name < right.name ? -1 : left.name > right.name ? 1 : 0)
  )
}
