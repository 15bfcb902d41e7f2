import type { Run, Summary } from '../../model/run.ts'
import type { TrendPoint } from '../../report/format.ts'
import { type HistoryEntry, newestFirst } from './entry.ts'
import { machineNames } from './machine-names.ts'
import { defined } from '../../model/defined.ts'
import { EXIT } from '../../model/gate.ts'
import { hostNameOf } from '../../model/host-name.ts'
import { distinctIds, isSamePolicy, type PolicyIdentity } from '../../model/policy-identity.ts'
import { FAILURES } from '../../model/verdict.ts'

/** Maximum number of points that a graph in a report can show. */
const LONGEST_TREND = 100

/** Comparable runs: the same policies on the same machine. Oldest first. */
export interface Series {
  /** Display name of the machine. */
  readonly host: string
  readonly policies: readonly string[]
  readonly runs: readonly HistoryEntry[]
}

/** Number of drifted and unknown resources. */
export function troubleOf(summary: Summary): number {
  return FAILURES.reduce((sum, verdict) => sum + summary[verdict], 0)
}

/** True if a run was not performed, so that its counts mean nothing. */
export function isNotPerformed({ exitCode }: Pick<HistoryEntry, 'exitCode'>): boolean {
  return exitCode === EXIT.notPerformed
}

/**
 * Groups runs into series, the one with the newest run first. A run that was not performed has no policies; it belongs
 * to the series of the previous run of its host, or else of the next one. `nameOf` names machines.
 */
export function seriesOf(runs: readonly HistoryEntry[], nameOf = machineNames(runs)): readonly Series[] {
  const byHost = new Map<string, HistoryEntry[]>()
  for (const entry of newestFirst(runs).toReversed()) {
    const name = nameOf(entry)
    const ofHost = byHost.get(name)
    if (ofHost === undefined) byHost.set(name, [entry])
    else ofHost.push(entry)
  }
  const newest = ({ runs: group }: Series): string => group.at(-1)?.startedAt ?? ''
  const series = [...byHost].flatMap(([host, ofHost]) => describe(host, seriesOfHost(ofHost)))
  return series.toSorted((left, right) => (newest(left) < newest(right) ? 1 : -1))
}

/** Groups the runs of one host by their policies, all oldest first. */
function seriesOfHost(oldestFirst: readonly HistoryEntry[]): readonly (readonly HistoryEntry[])[] {
  const series: HistoryEntry[][] = []
  let current: HistoryEntry[] | undefined
  for (const entry of oldestFirst) {
    const own = series.find((each) => isSameSet(each.findLast(isPerformed) ?? entry, entry))
    current = (isPerformed(entry) ? own : current) ?? (series[0]?.some(isPerformed) === false ? series[0] : [])
    if (current.length === 0) series.push(current)
    current.push(entry)
  }
  return series
}

function isPerformed({ policies }: Pick<HistoryEntry, 'policies'>): boolean {
  return policies.length > 0
}

/** Paths distinguish policies with the same id, as in reports. */
function describe(host: string, series: readonly (readonly HistoryEntry[])[]): readonly Series[] {
  const last = series.map((runs) => runs.findLast(isPerformed)?.policies ?? [])
  const all = last
    .flat()
    .filter((policy, index, each) => index === each.findIndex((other) => isSamePolicy(other, policy)))
  const ids = distinctIds(all)
  return series.map((runs, index) => {
    const names = last[index]?.map((policy) => {
      const same = all.findIndex((each) => isSamePolicy(each, policy))
      return ids[same] ?? policy.id
    })
    return { host, policies: [...new Set(names)].toSorted(), runs }
  })
}

/** Earlier runs of the same machine and policies, oldest first. */
export function trendBefore(run: Run, runs: readonly HistoryEntry[]): readonly TrendPoint[] {
  const machine = { host: hostNameOf(run.target), ...defined({ machine: run.target.machine }) }
  const nameOf = machineNames([machine, ...runs])
  const earlier = runs.filter((entry) => {
    const isOther = entry.runId !== run.run.id && entry.startedAt <= run.run.startedAt
    const isSame = nameOf(entry) === nameOf(machine) && (!isPerformed(run) || isSameSet(run, entry))
    return isOther && isSame && !isNotPerformed(entry)
  })
  return newestFirst(earlier)
    .slice(0, LONGEST_TREND)
    .toReversed()
    .map(({ runId, startedAt, summary, exitCode }) => ({ runId, startedAt, summary, exitCode }))
}

interface Evaluated {
  readonly policies: readonly PolicyIdentity[]
}

/** True if both have the same set of policies. */
export function isSameSet(left: Evaluated, right: Evaluated): boolean {
  const isIn =
    ({ policies }: Evaluated) =>
    (policy: PolicyIdentity) =>
      policies.some((each) => isSamePolicy(each, policy))
  return left.policies.every(isIn(right)) && right.policies.every(isIn(left))
}
