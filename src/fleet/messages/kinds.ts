/** A whole run that the server has, which deltas differ from. */
export interface BaseRun {
  readonly run: string
  readonly startedAt: string
  readonly circumstances: string
}

/** The newest run that the server has in some way. */
export interface LastRun {
  readonly run: string
  readonly startedAt: string
  readonly sha256: string
}

/** What the server has of a host, as far as that host was told. */
export interface OnServer {
  readonly base?: BaseRun
  readonly last?: LastRun
}

/** What decides how a run is sent. */
export interface Looked {
  readonly runId: string
  readonly startedAt: string
  /** Of its state. */
  readonly sha256: string
  readonly circumstances: string
  readonly mayBeBeat: boolean
  /** Whether it carried out an order: that is handed over whole. */
  readonly isOrdered: boolean
}

/** How a run is sent. */
export type Kind =
  | { readonly kind: 'full' }
  | { readonly kind: 'delta' }
  /** `same` is a run with the same state. */
  | { readonly kind: 'beat'; readonly same: string }

const FULL: Kind = { kind: 'full' }
const DELTA: Kind = { kind: 'delta' }
const DAY_MS = 86_400_000

/** How the newest run is sent: whole where anything is different that deltas do not tell, once a day, and where it is asked for. */
export function kindOfNewest(looked: Looked, { base, last }: OnServer, isFullWanted: boolean): Kind {
  if (isFullWanted || looked.isOrdered || base === undefined || base.circumstances !== looked.circumstances) return FULL
  if (Date.parse(looked.startedAt) - Date.parse(base.startedAt) >= DAY_MS) return FULL
  if (looked.mayBeBeat && last?.sha256 === looked.sha256) return { kind: 'beat', same: last.run }
  return DELTA
}

/**
 * How runs are sent that are older than what the server has, in their order: `known` are runs that it has by their states, and is
 * added to. Whole are those that an unbroken connection would have made whole, since they are evidence.
 */
export function kindOfOlder(looked: Looked, { base }: OnServer, known: Map<string, string>, isDue: boolean): Kind {
  if (isDue || looked.isOrdered || base === undefined || base.circumstances !== looked.circumstances) return FULL
  const same = known.get(looked.sha256)
  if (looked.mayBeBeat && same !== undefined) return { kind: 'beat', same }
  known.set(looked.sha256, looked.runId)
  return DELTA
}

/** Those with which a day begins that no whole run stands for, from a run that the server has on. Newest first, as the runs are. */
export function dueEachDay<Run extends Pick<Looked, 'startedAt'>>(
  runs: readonly Run[],
  since: Pick<Looked, 'startedAt'> | undefined,
): ReadonlySet<Run> {
  const due = new Set<Run>()
  let wholeAtMs = since === undefined ? -Infinity : Date.parse(since.startedAt)
  for (const run of runs.toReversed()) {
    const atMs = Date.parse(run.startedAt)
    if (atMs - wholeAtMs < DAY_MS) continue
    due.add(run)
    wholeAtMs = atMs
  }
  return due
}

/** What a host that was away for long sends at most. */
export interface SpoolLimits {
  readonly maxAgeMs: number
  /** Of the reports, as the history has them. */
  readonly maxBytes: number
}

/** The server keeps beats and deltas no longer; and so much is more than a year of hourly reports of 300 resources. */
export const SPOOL_LIMITS: SpoolLimits = { maxAgeMs: 90 * DAY_MS, maxBytes: 256 * 1024 * 1024 }

/** A run that waits. */
export interface Planned {
  readonly kind: Kind['kind']
  readonly startedAt: string
  readonly sizeBytes: number
}

/** Which of the runs that wait, newest first, are never sent: those that are too old, and the oldest beats first, then deltas, then whole ones. */
export function tooMany<Run extends Planned>(
  planned: readonly Run[],
  { maxAgeMs, maxBytes }: SpoolLimits,
  nowMs: number,
): ReadonlySet<Run> {
  const lost = new Set(planned.filter(({ startedAt }) => nowMs - Date.parse(startedAt) > maxAgeMs))
  let bytes = planned.reduce((sum, run) => sum + (lost.has(run) ? 0 : run.sizeBytes), 0)
  const oldest = planned.toReversed()
  for (const wanted of ['beat', 'delta', 'full'] as const) {
    for (const run of oldest) {
      if (bytes <= maxBytes) return lost
      if (run.kind !== wanted || lost.has(run)) continue
      lost.add(run)
      bytes -= run.sizeBytes
    }
  }
  return lost
}

/** The order in which runs that wait are sent: beats and deltas as they are, newest first, then whole ones, which are evidence. */
export function sendingOrder<Run extends Planned>(planned: readonly Run[]): readonly Run[] {
  return planned.toSorted((left, right) => Number(left.kind === 'full') - Number(right.kind === 'full'))
}
