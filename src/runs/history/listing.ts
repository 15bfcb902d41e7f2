import { globMatcher } from '../../model/selection.ts'
import type { HistoryEntry } from './entry.ts'
import { machineNames } from './machine-names.ts'
import type { History, UnusableFile } from './read-history.ts'
import { type Series, seriesOf } from './series.ts'

/** Selection of runs. */
export interface Filter {
  /** Host names and policy ids, exact or with `*` and `?`; default: all. */
  readonly hosts: readonly string[]
  readonly policies: readonly string[]
  /** Earliest start, in milliseconds since 1970. */
  readonly sinceMs?: number
}

/** Contents of a list. */
export interface Listing {
  readonly directory: string
  /** Newest first, up to the limit. */
  readonly runs: readonly ListedRun[]
  /** Number of runs that match the filter, and of all stored runs. */
  readonly total: number
  readonly stored: number
  /** The shown runs, grouped by comparability. */
  readonly series: readonly Series[]
  readonly unusable: readonly UnusableFile[]
}

/** A run with its differences from the previous one. */
export interface ListedRun extends HistoryEntry {
  /** Display name of its machine. */
  readonly name: string
  /** Policies whose text changed since the previous run. */
  readonly changedPolicies: readonly string[]
}

/** Runs that match a filter, newest first. */
export function filterRuns(
  { runs }: History,
  { hosts, policies, sinceMs = -Infinity }: Filter,
): readonly HistoryEntry[] {
  const isHost = matcher(hosts)
  const nameOf = machineNames(runs)
  const isPolicy = matcher(policies)
  return runs.filter(
    (run) =>
      Date.parse(run.startedAt) >= sinceMs &&
      (isHost(run.host) || isHost(nameOf(run))) &&
      (policies.length === 0 || run.policies.some(({ id }) => isPolicy(id))),
  )
}

/** Lists the runs that match a filter. */
export function listRuns(history: History, filter: Filter, limit: number): Listing {
  const matching = filterRuns(history, filter)
  const nameOf = machineNames(history.runs)
  const series = seriesOf(matching, nameOf)
  const changes = new Map(series.flatMap(changesIn))
  const shown = new Set(matching.slice(0, limit))
  return {
    directory: history.directory,
    runs: [...shown].map((run) => ({ ...run, name: nameOf(run), changedPolicies: changes.get(run) ?? [] })),
    total: matching.length,
    series: series
      .map((each) => ({ ...each, runs: each.runs.filter((run) => shown.has(run)) }))
      .filter(({ runs }) => runs.length > 0),
    stored: history.runs.length,
    unusable: history.unusable,
  }
}

/** Runs whose policies changed since the previous run. */
function changesIn({ runs }: Series): readonly (readonly [HistoryEntry, readonly string[]])[] {
  const performed = runs.filter(({ policies }) => policies.length > 0)
  return performed.flatMap((run, index) => {
    const before = performed[index - 1]?.policies ?? run.policies
    const changed = run.policies.filter(({ id, sha256 }, at) => {
      const last = before[at]?.id === id ? before[at] : before.find((policy) => policy.id === id)
      return last !== undefined && last.sha256 !== sha256
    })
    return changed.length === 0 ? [] : [[run, changed.map(({ id }) => id)] as const]
  })
}

/** Matches names with any of the patterns; without patterns, all names. */
function matcher(patterns: readonly string[]): (name: string) => boolean {
  const matchers = patterns.map(globMatcher)
  return (name) => matchers.length === 0 || matchers.some((matches) => matches(name))
}
