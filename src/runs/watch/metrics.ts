import type { Run } from '../../model/run.ts'
import { PLAIN, type ReportFormat } from '../../report/format.ts'
import { type Family, formatFamilies, labelByFile } from '../../report/words/metrics.ts'
import { openOutputFile } from '../../host/live/output-file.ts'

/** Outcome of a scan in a watch. */
export type ScanFate = 'done' | 'failed' | 'cut' | 'stopped' | 'skipped'

const FATES: readonly ScanFate[] = ['done', 'failed', 'cut', 'stopped', 'skipped']

/** State of a watch. Times are in seconds since 1970. */
export interface WatchState {
  readonly fates: Readonly<Record<ScanFate, number>>
  /** End of the last scan. */
  readonly attemptedAt: number
  /** End of the last scan that evaluated the policies; undefined before the first. */
  readonly evaluatedAt: number | undefined
  /** True if the last scan evaluated the policies. */
  readonly isFine: boolean
  readonly changes: number
  readonly failedCommands: number
}

export const NOTHING_SEEN: WatchState = {
  fates: { done: 0, failed: 0, cut: 0, stopped: 0, skipped: 0 },
  attemptedAt: 0,
  evaluatedAt: undefined,
  isFine: false,
  changes: 0,
  failedCommands: 0,
}

/** Throws an `OperatorError` if the file cannot be written. */
export function checkMetricsFile(path: string): void {
  openOutputFile(path, { what: 'metrics' }).discard()
}

/**
 * Replaces the file with the metrics of the last evaluated run and of the watch. Throws an `OperatorError` if it cannot
 * be written.
 */
export async function writeMetrics(
  path: string,
  { run, format }: { readonly run: Run | undefined; readonly format: ReportFormat | undefined },
  state: WatchState,
): Promise<void> {
  const scanned = run === undefined || format === undefined ? '' : await format.render(run, { ...PLAIN, file: path })
  await openOutputFile(path, { what: 'metrics' }).commit(
    `${scanned}${formatFamilies(labelByFile(watchFamilies(state), path))}`,
  )
}

/** The metrics of the watch itself. */
function watchFamilies(state: WatchState): readonly Family[] {
  const { fates, attemptedAt, evaluatedAt, isFine, changes, failedCommands } = state
  const single = (value: number): Family['samples'] => [{ labels: {}, value }]
  return [
    {
      name: 'driftgate_watch_scans_total',
      help: 'Scans of this watch by outcome',
      type: 'counter',
      samples: FATES.map((fate) => ({ labels: { fate }, value: fates[fate] })),
    },
    {
      name: 'driftgate_watch_attempt_timestamp_seconds',
      help: 'Time at which the last scan ended',
      type: 'gauge',
      samples: single(attemptedAt),
    },
    {
      name: 'driftgate_watch_success_timestamp_seconds',
      help: 'When a scan last evaluated the policies',
      type: 'gauge',
      samples: evaluatedAt === undefined ? [] : single(evaluatedAt),
    },
    {
      name: 'driftgate_watch_ok',
      help: '1 if the last scan evaluated the policies',
      type: 'gauge',
      samples: single(isFine ? 1 : 0),
    },
    {
      name: 'driftgate_watch_changes_total',
      help: 'How often the state changed',
      type: 'counter',
      samples: single(changes),
    },
    {
      name: 'driftgate_watch_command_failures_total',
      help: 'How often the command of --on-change failed',
      type: 'counter',
      samples: single(failedCommands),
    },
  ]
}
