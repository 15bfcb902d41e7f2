import type { Run, Summary } from '../../model/run.ts'
import type { TrendPoint } from '../../report/format.ts'
import { type HistoryEntry, newestFirst } from './entry.ts'
import { machineNames } from './machine-names.ts'
import { defined } from '../../model/defined.ts'
import { EXIT } from '../../model/gate.ts'
import { hostNameOf } from '../../model/host-name.ts'
import { distinctIds, isSamePolicy, type PolicyIdentity } from '../../model/policy-identity.ts'
import { FAILURES } from '../../model/verdict.ts'

/** What a graph of a report can show and people can tell apart. */
const LONGEST_TREND = 100

/** Runs that can be compared: of the same policies on the same machine. Oldest first. */
export interface Series {
  /** The name of the machine among those of its history. */
  readonly host: string
  readonly policies: readonly string[]
  readonly runs: readonly HistoryEntry[]
}

/** How many resources are drifted or unknown. */
export function troubleOf(summary: Summary): number {
  return FAILURES.reduce((sum, verdict) => sum + summary[verdict], 0)
}

/** Whether a run could not be performed, so that its counts say nothing. */
export function isNotPerformed({ exitCode }: Pick<HistoryEntry, 'exitCode'>): boolean {
  return exitCode === EXIT.notPerformed
}

/**
 * The series among some runs, the one with the newest run first. A run without policies, because it could not be
 * performed, belongs to the policies that were evaluated on its host before it, or else after it. `nameOf` names machines.
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

/** The runs of one host by the policies that they evaluated, all oldest first. */
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

/** Policies of one id are told apart by their paths, as in reports. */
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

/** What led to a run, oldest first: the earlier ones of the same machine and policies. */
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

/** Whether each policy of one is a policy of the other, and the other way round. */
export function isSameSet(left: Evaluated, right: Evaluated): boolean {
  const isIn =
    ({ policies }: Evaluated) =>
    (policy: PolicyIdentity) =>
      policies.some((each) => isSamePolicy(each, policy))
  return left.policies.every(isIn(right)) && right.policies.every(isIn(left))
}
