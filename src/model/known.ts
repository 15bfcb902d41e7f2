import type { ResourceResult } from './run.ts'

/**
 * Whether a drifted resource is only what the baseline knows already, or a waiver accepts: reports show it, but it does not
 * fail the gate.
 */
export function isKnown({ verdict, drift }: ResourceResult): boolean {
  if (verdict !== 'drifted' || drift.length === 0) return false
  return drift.every(({ waiver, baseline }) => waiver !== undefined || baseline === 'unchanged')
}
