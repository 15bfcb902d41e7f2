import { globMatcher } from '../../model/selection.ts'
import type { HistoryEntry } from './entry.ts'
import { machineNames } from './machine-names.ts'
import type { History, UnusableFile } from './read-history.ts'
import { type Series, seriesOf } from './series.ts'

/** Which runs are wanted. */
export interface Filter {
  /** Names of hosts and ids of policies, exact or with `*` and `?`; all by default. */
  readonly hosts: readonly string[]
  readonly policies: readonly string[]
  /** The earliest start, in milliseconds since 1970. */
  readonly sinceMs?: number
}

/** What a list shows. */
export interface Listing {
  readonly directory: string
  /** Newest first, no more than wanted. */
  readonly runs: readonly ListedRun[]
  /** How many runs pass the filter, those not shown included, and how many there are. */
  readonly total: number
  readonly stored: number
  /** The shown runs by what can be compared. */
  readonly series: readonly Series[]
  readonly unusable: readonly UnusableFile[]
}

/** A run with what sets it apart from the one before it. */
export interface ListedRun extends HistoryEntry {
  /** The name of its machine among those of the history. */
  readonly name: string
  /** The policies that were not the same text in the run before. */
  readonly changedPolicies: readonly string[]
}

/** The runs of a history that pass a filter, newest first. */
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

/** What a list shows of the runs that pass a filter. */
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

/** The runs before which policies were changed. */
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

/** Whether a name is one of these; every name is if absent. */
function matcher(patterns: readonly string[]): (name: string) => boolean {
  const matchers = patterns.map(globMatcher)
  return (name) => matchers.length === 0 || matchers.some((matches) => matches(name))
}
