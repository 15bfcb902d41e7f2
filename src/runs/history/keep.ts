import { type HistoryEntry, newestFirst } from './entry.ts'
import { timeInName } from './file-name.ts'
import type { Keep } from './keep-spec.ts'
import type { History } from './read-history.ts'
import { seriesOf } from './series.ts'

/**
 * Files beyond the retention. A number applies per machine and set of policies, so that rarely scanned ones are not
 * displaced. An age counts from the start of the run just stored, which always stays, even if its clock is wrong.
 * Unusable files are removed by the time in their names.
 */
export function outdatedFiles({ runs, unusable }: History, keep: Keep, stored: HistoryEntry): readonly string[] {
  const all = [stored, ...runs.filter(({ file }) => file !== stored.file)]
  const { old, limitMs } =
    keep.kind === 'newest' ? outdatedBeyond(all, keep.count, stored) : outdatedBefore(all, keep, stored)
  const spoilt = unusable.filter(({ file }) => Date.parse(timeInName(file) ?? '') < limitMs)
  return [...old.filter((entry) => entry !== stored), ...spoilt].map(({ file }) => file)
}

interface Outdated {
  readonly old: readonly HistoryEntry[]
  /** Time before which nothing is kept. */
  readonly limitMs: number
}

function outdatedBefore(
  runs: readonly HistoryEntry[],
  { milliseconds }: Extract<Keep, { kind: 'span' }>,
  stored: HistoryEntry,
): Outdated {
  const limitMs = timeOf(stored) - milliseconds
  return { old: runs.filter((entry) => timeOf(entry) < limitMs), limitMs }
}

function outdatedBeyond(runs: readonly HistoryEntry[], count: number, stored: HistoryEntry): Outdated {
  const old: HistoryEntry[] = []
  let limitMs = Infinity
  for (const series of seriesOf(runs)) {
    const newest = series.runs.includes(stored)
      ? [stored, ...newestFirst(series.runs).filter((entry) => entry !== stored)]
      : newestFirst(series.runs)
    old.push(...newest.slice(count))
    const oldest = newest[count - 1]
    limitMs = Math.min(limitMs, oldest === undefined ? -Infinity : timeOf(oldest))
  }
  return { old, limitMs }
}

function timeOf({ startedAt }: HistoryEntry): number {
  return Date.parse(startedAt)
}
