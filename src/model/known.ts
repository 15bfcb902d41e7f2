import type { ResourceResult } from './run.ts'

/** Whether all drift of a resource is in the reference report or waived: reports show it, but it does not fail the gate. */
export function isKnown({ verdict, drift }: ResourceResult): boolean {
  if (verdict !== 'drifted' || drift.length === 0) return false
  return drift.every(({ waiver, baseline }) => waiver !== undefined || baseline === 'unchanged')
}
