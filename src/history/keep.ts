import { parseDuration } from '../core/duration.ts'
import { type HistoryEntry, newestFirst } from './entry.ts'
import { timeInName } from './file-name.ts'
import type { History } from './read-history.ts'

/** Which runs are kept: a number of the newest, or those that started within a span of time. */
export type Keep =
  { readonly kind: 'newest'; readonly count: number } | { readonly kind: 'span'; readonly milliseconds: number }

/** Reads the value of `--keep`; undefined where it says neither. */
export function parseKeep(text: string): Keep | undefined {
  if (/^\d+$/.test(text)) {
    const count = Number(text)
    return count >= 1 && Number.isSafeInteger(count) ? { kind: 'newest', count } : undefined
  }
  const milliseconds = parseDuration(text)
  return milliseconds === undefined || milliseconds <= 0 ? undefined : { kind: 'span', milliseconds }
}

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
