import { DAY_MS } from '../../model/duration.ts'

/** Full report on the server that deltas refer to. */
export interface BaseRun {
  readonly run: string
  readonly startedAt: string
  readonly circumstances: string
}

/** Newest run on the server, of any message kind. */
export interface LastRun {
  readonly run: string
  readonly startedAt: string
  readonly sha256: string
}

/** Reports of a host on the server, as acknowledged. */
export interface OnServer {
  readonly base?: BaseRun
  readonly last?: LastRun
}

/** Properties of a run that determine its message kind. */
export interface Looked {
  readonly runId: string
  readonly startedAt: string
  /** Digest of its state. */
  readonly sha256: string
  readonly circumstances: string
  readonly mayBeBeat: boolean
  /** True if the run carried out an order, so that it is sent as a full report. */
  readonly isOrdered: boolean
}

/** Message kind of a run. */
export type Kind =
  | { readonly kind: 'full' }
  | { readonly kind: 'delta' }
  /** `same` is a run with the same state. */
  | { readonly kind: 'beat'; readonly same: string }

const FULL: Kind = { kind: 'full' }
const DELTA: Kind = { kind: 'delta' }

/** Message kind of the newest run: full once a day, on request, and if a difference cannot be expressed as a delta. */
export function kindOfNewest(looked: Looked, { base, last }: OnServer, isFullWanted: boolean): Kind {
  if (isFullWanted || looked.isOrdered || base === undefined || base.circumstances !== looked.circumstances) return FULL
  if (Date.parse(looked.startedAt) - Date.parse(base.startedAt) >= DAY_MS) return FULL
  if (looked.mayBeBeat && last?.sha256 === looked.sha256) return { kind: 'beat', same: last.run }
  return DELTA
}

/**
 * Message kind of runs older than the newest on the server, in order. `known` maps states to runs on the server and is
 * extended. The runs that an uninterrupted connection would have sent in full are sent in full, as evidence.
 */
export function kindOfOlder(looked: Looked, { base }: OnServer, known: Map<string, string>, isDue: boolean): Kind {
  if (isDue || looked.isOrdered || base === undefined || base.circumstances !== looked.circumstances) return FULL
  const same = known.get(looked.sha256)
  if (looked.mayBeBeat && same !== undefined) return { kind: 'beat', same }
  known.set(looked.sha256, looked.runId)
  return DELTA
}

/**
 * First runs of each day that no full report covers, starting from a run on the server. Newest first, like the runs.
 */
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

/** Limits of the send queue. */
export interface SpoolLimits {
  readonly maxAgeMs: number
  /** Total size of the reports in the history. */
  readonly maxBytes: number
}

/**
 * The server keeps heartbeats and deltas no longer; the size is more than a year of hourly reports of 300 resources.
 */
export const SPOOL_LIMITS: SpoolLimits = { maxAgeMs: 90 * DAY_MS, maxBytes: 256 * 1024 * 1024 }

/** A queued run. */
export interface Planned {
  readonly kind: Kind['kind']
  readonly startedAt: string
  readonly sizeBytes: number
}

/**
 * Selects the queued runs, newest first, to drop: those that are too old, then the oldest heartbeats, deltas and full
 * reports, in this order.
 */
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

/** Order of sending: heartbeats and deltas, newest first, then full reports, which are evidence. */
export function sendingOrder<Run extends Planned>(planned: readonly Run[]): readonly Run[] {
  return planned.toSorted((left, right) => Number(left.kind === 'full') - Number(right.kind === 'full'))
}
