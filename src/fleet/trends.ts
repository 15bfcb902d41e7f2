import { DAY_MS, dayOf } from '../model/duration.ts'
import type { FleetFinding } from './findings.ts'

/** Open findings at the end of a day. */
export interface TrendPoint {
  /** Date in UTC, `2026-11-20`. */
  readonly day: string
  readonly drifted: number
  readonly undecided: number
}

export const TREND_DAYS = 30

/** Open findings of the last days, as reported by hosts; empty without reports. */
export interface Trends {
  /** Findings of a host. */
  readonly ofHost: (name: string, nowMs: number) => readonly TrendPoint[]
  /** Findings of a policy on all hosts. */
  readonly ofPolicy: (id: string, nowMs: number) => readonly TrendPoint[]
  /** Hosts on which a control has a finding. */
  readonly ofControl: (
    control: { readonly policy: string; readonly name: string },
    nowMs: number,
  ) => readonly TrendPoint[]
  /** Ids of the reported policies. */
  readonly policies: () => readonly string[]
}

/** Records changes. */
export interface TrendRecord extends Trends {
  /** Records that the state of a host's policy has changed at a time. */
  readonly note: (host: string, before: Counted | undefined, after: Counted, atMs: number) => void
}

interface Counted {
  readonly id: string
  /** By requirement name. */
  readonly unmet: ReadonlyMap<string, Pick<FleetFinding, 'standing'>>
}

export function createTrends(): TrendRecord {
  const hosts = new Map<string, Series>()
  const policies = new Map<string, Series>()
  const controls = new Map<string, Series>()

  function note(host: string, before: Counted | undefined, after: Counted, atMs: number): void {
    const day = dayOf(atMs)
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
    // A control without findings is compliant from the first report about its policy.
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

/** Days with a change, earliest first, with the open findings at their end. */
type Series = (Change & { readonly day: number })[]

const NOTHING_OPEN: Change = { drifted: 0, undecided: 0 }

function seriesOf(all: Map<string, Series>, key: string): Series {
  const known = all.get(key) ?? []
  all.set(key, known)
  return known
}

/** Reports arrive in any order, so a change may precede the last day; it applies from then on. */
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
  // The entry before the first shown day gives the initial value.
  const shown = (series.at(-1)?.day ?? day) - TREND_DAYS
  while ((series[1]?.day ?? Infinity) <= shown) series.shift()
}

/** Starts with the first day of `known`. */
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
