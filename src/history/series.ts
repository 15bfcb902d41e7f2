import type { Run, Summary } from '../core/run.ts'
import type { TrendPoint } from '../report/format.ts'
import { type HistoryEntry, newestFirst } from './entry.ts'
import { EXIT } from '../core/gate.ts'
import { hostNameOf } from '../core/host-name.ts'
import { FAILURES } from '../core/verdict.ts'

/** What a graph of a report can show and people can tell apart. */
const LONGEST_TREND = 100

/** Runs that can be compared: of the same policies on the same host. Oldest first. */
export interface Series {
  readonly host: string
  readonly policies: readonly string[]
  readonly runs: readonly HistoryEntry[]
}

/** How many resources are not as they should be, or nobody knows. */
export function troubleOf(summary: Summary): number {
  return FAILURES.reduce((sum, verdict) => sum + summary[verdict], 0)
}

/** Whether a run could not be performed, so that its counts say nothing. */
export function isNotPerformed({ exitCode }: Pick<HistoryEntry, 'exitCode'>): boolean {
  return exitCode === EXIT.notPerformed
}

/**
 * The series among some runs, the one with the newest run first. A run without policies, because it could not be
 * performed, belongs to whatever was evaluated on its host before it, or else after it.
 */
export function seriesOf(runs: readonly HistoryEntry[]): readonly Series[] {
  const oldestFirst = newestFirst(runs).toReversed()
  const first = new Map<string, string>()
  for (const entry of oldestFirst) {
    if (entry.policies.length > 0 && !first.has(entry.host)) first.set(entry.host, keyOf(entry))
  }
  const latest = new Map<string, string>()
  const groups = new Map<string, HistoryEntry[]>()
  for (const entry of oldestFirst) {
    const { host, policies } = entry
    const key = policies.length > 0 ? keyOf(entry) : (latest.get(host) ?? first.get(host) ?? keyOf(entry))
    latest.set(host, key)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [entry])
    else group.push(entry)
  }
  const newest = ({ runs: group }: Series): string => group.at(-1)?.startedAt ?? ''
  return [...groups.values()].map(describe).toSorted((left, right) => (newest(left) < newest(right) ? 1 : -1))
}

function describe(runs: readonly HistoryEntry[]): Series {
  const host = runs[0]?.host ?? ''
  return { host, policies: policyIds(runs.find(({ policies }) => policies.length > 0) ?? { policies: [] }), runs }
}

/** What led to a run, oldest first: the earlier ones of the same host and policies. */
export function trendBefore(run: Run, runs: readonly HistoryEntry[]): readonly TrendPoint[] {
  const own = keyOf({ host: hostNameOf(run.target), policies: run.policies })
  const earlier = runs.filter(({ runId, startedAt, exitCode, ...entry }) => {
    const isOther = runId !== run.run.id && startedAt <= run.run.startedAt
    const isSame = run.policies.length === 0 ? entry.host === hostNameOf(run.target) : keyOf(entry) === own
    return isOther && isSame && !isNotPerformed({ exitCode })
  })
  return newestFirst(earlier)
    .slice(0, LONGEST_TREND)
    .toReversed()
    .map(({ runId, startedAt, summary, exitCode }) => ({ runId, startedAt, summary, exitCode }))
}

interface Identity {
  readonly host: string
  readonly policies: readonly { readonly id: string }[]
}

function keyOf({ host, policies }: Identity): string {
  return JSON.stringify([host, ...policyIds({ policies })])
}

function policyIds({ policies }: Pick<Identity, 'policies'>): readonly string[] {
  return [...new Set(policies.map(({ id }) => id))].toSorted()
}
