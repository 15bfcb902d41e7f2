import type { Drift, ReportValue } from '../../model/drift.ts'
import { formatProperty } from '../../model/format-value.ts'
import type { ResourceResult } from '../../model/run.ts'

/** A planned or performed change of a value. */
export interface ShownChange {
  /** The observed drift, without its diff unless that leads to `current`. */
  readonly drift: Drift
  readonly original: ReportValue
  /** In an audit the desired value, after a fix the observed one. */
  readonly current: ReportValue
}

/** Planned or performed changes, and those that were not verified. */
export interface Differences {
  /** Sorted by property. */
  readonly changes: readonly ShownChange[]
  readonly unverified: readonly Drift[]
}

const NONE: Differences = { changes: [], unverified: [] }

/** The planned or performed changes of a resource. Drift that a fix left is not a change. */
export function differencesOf(result: ResourceResult): Differences {
  const drifts = result.drift.toSorted((left, right) => compareNames(formatProperty(left), formatProperty(right)))
  switch (result.verdict) {
    case 'drifted':
    case 'fixed':
      return { changes: drifts.map(toDesired), unverified: [] }
    case 'fix-failed':
      return afterFailure(result, drifts)
    case 'compliant':
    case 'error':
    case 'blocked':
    case 'not-applicable':
    case 'waived':
      return NONE
  }
}

function compareNames(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}

function toDesired(drift: Drift): ShownChange {
  return { drift, original: drift.observed, current: drift.desired }
}

function afterFailure(result: ResourceResult, drifts: readonly Drift[]): Differences {
  const remaining = new Map((result.remaining ?? []).map((drift) => [keyOf(drift), drift]))
  const reached = drifts.filter((drift) => !remaining.has(keyOf(drift)))
  const isKnown = wasVerified(result)
  const changes = drifts.flatMap((drift) => {
    const left = remaining.get(keyOf(drift))
    if (left === undefined) return isKnown ? [toDesired(drift)] : []
    if (isSame(left.observed, drift.observed)) return []
    const { diff: _leadsElsewhere, ...rest } = drift
    return [{ drift: rest, original: drift.observed, current: left.observed }]
  })
  return { changes, unverified: isKnown ? [] : reached }
}

function keyOf({ property, path }: Drift): string {
  return JSON.stringify([property, path])
}

/**
 * Whether other drift was verified as resolved. Actions are reported only after an observation, and health checks
 * follow it. If the resource is missing or of another kind, its other properties were not observed.
 */
function wasVerified({ actions, drift, remaining = [] }: ResourceResult): boolean {
  if (actions.length > 0) return true
  const found = remaining.filter(({ property }) => property !== 'health')
  return found.length > 0 && (!found.some(isEnsure) || drift.some(isEnsure))
}

function isEnsure({ property }: Drift): boolean {
  return property === 'ensure'
}

function isSame(left: ReportValue, right: ReportValue): boolean {
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return left === right
  if ('digest' in left) return 'digest' in right && left.digest === right.digest
  return 'sha256' in left && 'sha256' in right && left.sha256 === right.sha256
}
