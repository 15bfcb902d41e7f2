import { lstatSync, unlinkSync } from 'node:fs'
import { defined } from '../../model/defined.ts'
import { errorCode } from '../../host/live/system-error.ts'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Run } from '../../model/run.ts'
import { renderReport } from '../../report/index.ts'
import { OperatorError } from '../../model/operator-error.ts'
import { systemReason } from '../../model/system-reason.ts'
import { prepareDirectory } from './directory.ts'
import { entryOf, type HistoryEntry, versionOf } from './entry.ts'
import { storedName } from './file-name.ts'
import { appendToIndex } from './index-file.ts'
import { outdatedFiles } from './keep.ts'
import type { Keep } from './keep-spec.ts'
import { putFile, removeAbandoned } from './put-file.ts'
import { removeLeftovers } from '../../host/live/temporary-name.ts'
import { type History, readHistory } from './read-history.ts'

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
