import { SEVERITIES, type Severity } from '../model/verdict.ts'
import { type Standing, STANDINGS } from '../report/words/requirements.ts'
import type { Cause } from './source.ts'

/** Something a policy asks for that is not met on a host. */
export interface FleetFinding {
  readonly policy: string
  /** The ids of the apply resources above it, and its own, joined by ` > `. */
  readonly name: string
  readonly kind: 'control' | 'resource'
  readonly title?: string
  readonly severity: Severity
  readonly standing: Exclude<Standing, 'met'>
  /** Why it is undecided. */
  readonly cause?: Cause
  /** When a run first found it so, in milliseconds since 1970; what drifts and cannot be decided in turn is open all the time. */
  readonly sinceMs: number
}

/** How many findings of each severity. */
export type BySeverity = Readonly<Record<Severity, number>>

/** None of any severity. */
export const NO_DRIFTS: BySeverity = { info: 0, low: 0, medium: 0, high: 0, critical: 0 }

/** How much drifts, by severity. */
export function driftsOf(findings: Iterable<FleetFinding>): BySeverity {
  const drifts: Record<Severity, number> = { ...NO_DRIFTS }
  for (const { standing, severity } of findings) if (standing === 'drifted') drifts[severity]++
  return drifts
}

/** The worst first: by how it stands, by severity, then by name. */
export function compareFindings(left: FleetFinding, right: FleetFinding): number {
  return (
    STANDINGS.indexOf(left.standing) - STANDINGS.indexOf(right.standing) ||
    SEVERITIES.indexOf(right.severity) - SEVERITIES.indexOf(left.severity) ||
    (left.name < right.name ? -1 : left.name > right.name ? 1 : 0)
  )
}
