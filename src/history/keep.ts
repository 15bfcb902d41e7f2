import { type HistoryEntry, newestFirst } from './entry.ts'
import { timeInName } from './file-name.ts'
import type { Keep } from './keep-spec.ts'
import type { History } from './read-history.ts'

/**
 * The files that are not to be kept. Time is when the run that was just stored started; that one always stays, wherever
 * the clock has put it. Files that cannot be used go with the runs around them, by the time in their names.
 */
export function outdatedFiles({ runs, unusable }: History, keep: Keep, stored: HistoryEntry): readonly string[] {
  const others = newestFirst(runs).filter(({ file }) => file !== stored.file)
  const limitMs =
    keep.kind === 'newest' ? oldestOf([stored, ...others], keep.count) : timeOf(stored) - keep.milliseconds
  const old = keep.kind === 'newest' ? others.slice(keep.count - 1) : others.filter((entry) => timeOf(entry) < limitMs)
  const spoilt = unusable.filter(({ file }) => Date.parse(timeInName(file) ?? '') < limitMs)
  return [...old, ...spoilt].map(({ file }) => file)
}

/** The time before which nothing is kept; none while there are not enough runs. */
function oldestOf(kept: readonly HistoryEntry[], count: number): number {
  const oldest = kept[count - 1]
  return oldest === undefined ? -Infinity : timeOf(oldest)
}

function timeOf({ startedAt }: HistoryEntry): number {
  return Date.parse(startedAt)
}
