import type { FleetFinding } from './findings.ts'

/** How much is open at the end of a day. */
export interface TrendPoint {
  /** `2026-11-20`, of UTC. */
  readonly day: string
  readonly drifted: number
  readonly undecided: number
}

/** How many days a trend has. */
export const TREND_DAYS = 30

/** How much was open on hosts over the last days, as they reported it; empty where nothing was reported about it. */
export interface Trends {
  /** Findings of a host. */
  readonly ofHost: (name: string, nowMs: number) => readonly TrendPoint[]
  /** Findings of a policy on all hosts. */
  readonly ofPolicy: (id: string, nowMs: number) => readonly TrendPoint[]
  /** Hosts on which a control is open. */
  readonly ofControl: (
    control: { readonly policy: string; readonly name: string },
    nowMs: number,
  ) => readonly TrendPoint[]
  /** The policies that hosts have reported about, by id. */
  readonly policies: () => readonly string[]
}

/** Takes note of changes. */
export interface TrendRecord extends Trends {
  /** A host stands otherwise than before since a time. */
  readonly note: (host: string, before: Counted | undefined, after: Counted, atMs: number) => void
}

/** A policy of a host. */
interface Counted {
  readonly id: string
  /** By name. */
  readonly unmet: ReadonlyMap<string, Pick<FleetFinding, 'standing'>>
}

const DAY_MS = 86_400_000

/** Makes an empty record. */
export function createTrends(): TrendRecord {
  const hosts = new Map<string, Series>()
  const policies = new Map<string, Series>()
  const controls = new Map<string, Series>()

  function note(host: string, before: Counted | undefined, after: Counted, atMs: number): void {
    const day = Math.floor(atMs / DAY_MS)
    const total: Change = { drifted: 0, undecided: 0 }
    const names = new Set([...(before?.unmet.keys() ?? []), ...after.unmet.keys()])
    for (const name of names) {
      const [was, is] = [before?.unmet.get(name)?.standing, after.unmet.get(name)?.standing]
      if (was === is) continue
      const change = {
        drifted: Number(is === 'drifted') - Number(was === 'drifted'),
        undecided: Number(is === 'undecided') - Number(was === 'undecided'),
      }
      total.drifted += change.drifted
      total.undecided += change.undecided
      add(seriesOf(controls, keyOf(after.id, name)), day, change)
    }
    add(seriesOf(hosts, host), day, total)
    add(seriesOf(policies, after.id), day, total)
  }

  const pointsOf = (series: Series | undefined, nowMs: number): readonly TrendPoint[] =>
    series === undefined ? [] : lastDays(series, Math.floor(nowMs / DAY_MS), series)

  return {
    note,
    ofHost: (name, nowMs) => pointsOf(hosts.get(name), nowMs),
    ofPolicy: (id, nowMs) => pointsOf(policies.get(id), nowMs),
    // A control that was never open is compliant since something was reported about its policy.
    ofControl: ({ policy, name }, nowMs) =>
      lastDays(controls.get(keyOf(policy, name)) ?? [], Math.floor(nowMs / DAY_MS), policies.get(policy) ?? []),
    policies: () => [...policies.keys()].toSorted(),
  }
}

function keyOf(policy: string, name: string): string {
  return `${policy}\n${name}`
}

interface Change {
  drifted: number
  undecided: number
}

/** The days on which something changed, the earliest first, each with what was open at its end. */
type Series = (Change & { readonly day: number })[]

const NOTHING_OPEN: Change = { drifted: 0, undecided: 0 }

function seriesOf(all: Map<string, Series>, key: string): Series {
  const known = all.get(key) ?? []
  all.set(key, known)
  return known
}

/** Hosts report in no common order, so a change may be of a day before the last one: it holds from then on. */
function add(series: Series, day: number, { drifted, undecided }: Change): void {
  let at = series.findLastIndex((each) => each.day <= day)
  if (series[at]?.day !== day) {
    const before = series[at] ?? NOTHING_OPEN
    series.splice(++at, 0, { ...before, day })
  }
  for (const each of series.slice(at)) {
    each.drifted += drifted
    each.undecided += undecided
  }
  // The one before the first day that is shown says how that began.
  const shown = (series.at(-1)?.day ?? day) - TREND_DAYS
  while ((series[1]?.day ?? Infinity) <= shown) series.shift()
}

/** Beginning with the first day of `known`. */
function lastDays(series: Series, today: number, known: Series): readonly TrendPoint[] {
  const first = known[0]?.day ?? Infinity
  const points: TrendPoint[] = []
  for (let day = today - TREND_DAYS + 1; day <= today; day++) {
    if (day < first) continue
    const { drifted, undecided } = series.findLast((each) => each.day <= day) ?? NOTHING_OPEN
    points.push({ day: new Date(day * DAY_MS).toISOString().slice(0, 10), drifted, undecided })
  }
  return points
}
