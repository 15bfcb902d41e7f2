import type { Drift, ReportValue } from '../../model/drift.ts'
import { formatProperty } from '../../model/format-value.ts'
import type { ResourceResult } from '../../model/run.ts'

/** A value that a fix would change or has changed. */
export interface ShownChange {
  /** What was found. Its diff is left out where that does not lead to `current`. */
  readonly drift: Drift
  readonly original: ReportValue
  /** In an audit what is wanted, after a fix what a fresh look found. */
  readonly current: ReportValue
}

/** What a fix would change or has changed, and changes whose result was not verified. */
export interface Differences {
  /** By the names of the properties. */
  readonly changes: readonly ShownChange[]
  readonly unverified: readonly Drift[]
}

const NONE: Differences = { changes: [], unverified: [] }

/** Finds what is or was to be changed about a resource. What a fix left as it was is no change. */
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
 * Whether what does not remain was seen to be as it is wanted. What was done is only said after a fresh look, and a health
 * check that fails comes after it. Of a thing that is gone or of another kind since, the look saw nothing else.
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
