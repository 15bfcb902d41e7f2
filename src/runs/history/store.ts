import { lstatSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { defined } from '../../model/defined.ts'
import { errorCode } from '../../host/live/system-error.ts'
import type { Run } from '../../model/run.ts'
import { renderReport } from '../../report/index.ts'
import { OperatorError } from '../../model/operator-error.ts'
import { systemReason } from '../../model/system-reason.ts'
import { prepareDirectory } from './directory.ts'
import { entryOf, type HistoryEntry, newestFirst, versionOf } from './entry.ts'
import { storedName, timeInName } from './file-name.ts'
import { appendToIndex } from './index-file.ts'
import type { Keep } from './keep-spec.ts'
import { putFile, removeAbandoned } from './put-file.ts'
import { removeLeftovers } from '../../host/live/temporary-name.ts'
import { type History, readHistory } from './read-history.ts'
import { seriesOf } from './series.ts'

interface Outdated {
  readonly old: readonly HistoryEntry[]
  /** Time before which nothing is kept. */
  readonly limitMs: number
}

const compress = promisify(gzip)

/**
 * Stores a run as a compressed JSON report, creates the directory if missing, and updates the index. Also removes
 * temporary files of interrupted runs. Throws an `OperatorError` if the run cannot be stored; nothing of it remains
 * then. `onStored` receives the path once the report is on disk.
 */
export async function storeRun(
  directory: string,
  run: Run,
  onStored: (report: string) => void = () => undefined,
): Promise<HistoryEntry> {
  prepareDirectory(directory)
  const report = await renderReport(run, 'json')
  const bytes = await compress(report)
  const name = storedName(run)
  try {
    putFile(directory, name, bytes)
    const entry = entryOf(run, versionOf(name, lstatSync(join(directory, name))))
    tidy(directory, entry)
    onStored(report)
    return entry
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`cannot store the run in ${directory}: ${systemReason(error)}`, { cause: error })
  }
}

/** The run is stored; the next reader or writer of the history repairs any failure here. */
function tidy(directory: string, entry: HistoryEntry): void {
  const steps = [
    () => appendToIndex(directory, entry),
    () => removeLeftovers(directory),
    () => removeAbandoned(directory, entry.mtimeMs),
  ]
  for (const step of steps) {
    try {
      step()
    } catch (error) {
      if (!(error instanceof Error && 'syscall' in error)) throw error
    }
  }
}

/** Result of pruning. */
export interface Pruned {
  readonly removed: number
  /** Reason why the first outdated file was not removed. */
  readonly trouble?: string
}

/** Removes outdated runs, but not the run just stored. Other files are left alone. */
export async function pruneRuns(history: History, keep: Keep, stored: HistoryEntry): Promise<Pruned> {
  const { directory } = history
  let removed = 0
  let trouble: string | undefined
  for (const file of outdatedFiles(history, keep, stored)) {
    try {
      unlinkSync(join(directory, file))
      removed++
    } catch (error) {
      // Another scan removed it first, or it is a directory, which no scan has created.
      if (HARMLESS.has(errorCode(error))) continue
      trouble ??= `cannot remove ${join(directory, file)}: ${systemReason(error)}`
    }
  }
  // Updates the index.
  if (removed > 0) await readHistory(directory)
  return { removed, ...defined({ trouble }) }
}

const HARMLESS: ReadonlySet<string | undefined> = new Set(['ENOENT', 'EISDIR'])

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
